/** The element of the map, its tooltip and its hint. */
import type { Signal } from "@preact/signals";
import { useLayoutEffect, useRef } from "preact/hooks";
import { PointMap } from "../map/map";
import type { Theme } from "../theme";
import type { View } from "../view";

export function MapPane({ view, theme, root }: { view: View; theme: Signal<Theme>; root: HTMLElement }) {
  const element = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    if (!element.current) return;
    const map = new PointMap(root, element.current, view.store, theme, view.tool, view.apart, view.questions, (points, how) => view.select(points, how));
    view.map.value = map;
    return () => {
      view.map.value = null;
      map.destroy();
    };
  }, []);
  return (
    <div
      ref={element}
      class="nbe-map"
      tabIndex={0}
      role="application"
      aria-label="Map"
      aria-roledescription="embedding map"
      aria-description="Arrow keys move a cursor, Space selects the nearest point, question mark shows all keys."
      data-tool={view.tool.value}
      style={{ height: `${view.store.traits.height.value}px` }}
    >
      <Tooltip view={view} />
      <Waiting view={view} />
      {view.map.value?.wheelHint.value && <div class="nbe-hint">Click the map, then zoom with the wheel</div>}
    </div>
  );
}

/** Shown before the first layout, because affinities of many points take a while. */
function Waiting({ view }: { view: View }) {
  const { layout, traits } = view.store;
  if (layout.value.positions.length) return null;
  return <div class="nbe-waiting">{traits.state.value === "running" ? traits.compiling.value ? "Compiling, once for this installation …" : "Preparing the first layout …" : "Press Play to start"}</div>;
}

function Tooltip({ view }: { view: View }) {
  const map = view.map.value;
  const hover = map?.hover.value;
  if (!map || !hover) return null;
  const { label_codes: labels, label_confidence: confidences, classes, color_column: column, color_values: values, pinned } = view.store.traits;
  const label = classes.value[labels.value[hover.index]];
  const { kind, title, names } = column.value;
  const value = values.value[hover.index];
  const left = hover.x > map.element.clientWidth - 150;
  const below = hover.y < 60;
  const suggested = label || view.questions.hidden.value.has(hover.index) ? "" : view.questions.suggestedText(hover.index);
  return (
    <div
      class="nbe-tooltip"
      role="tooltip"
      style={{ left: `${hover.x}px`, top: `${hover.y}px`, transform: `translate(${left ? "calc(-100% - 10px)" : "10px"}, ${below ? "10px" : "calc(-100% - 10px)"})` }}
    >
      <b>#{hover.index}</b>{pinned.value.includes(hover.index) && <span class="nbe-faint"> pinned</span>}
      {label && <div><i class="nbe-dot" style={{ background: label.color }} />{label.name}{confidences.value[hover.index] < 1 && ` · ${confidences.value[hover.index].toFixed(2)}`}</div>}
      {suggested && <div class="nbe-faint">suggested: {suggested}</div>}
      {kind === "category" && value >= 0 && <div class="nbe-faint">{title ? `${title}: ` : ""}{names[value]}</div>}
      {kind === "number" && !Number.isNaN(value) && <div class="nbe-faint">{title ? `${title}: ` : ""}{value.toPrecision(4)}</div>}
    </div>
  );
}
