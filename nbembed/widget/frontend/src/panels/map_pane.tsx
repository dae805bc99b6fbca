/** The element of the map with the card that follows the pointer, its hint, and the cards kept open. */
import type { Signal } from "@preact/signals";
import { useLayoutEffect, useRef } from "preact/hooks";
import { PointMap } from "../map/map";
import type { Theme } from "../host/theme";
import type { View } from "../view/view";
import { HoverCard, OpenCards } from "./card";
import { PresentTitle } from "./compare_pane";
import { NamingField } from "./naming";
import * as strings from "../strings";

export function MapPane({ view, theme, root }: { view: View; theme: Signal<Theme>; root: HTMLElement }) {
  const element = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    if (!element.current) return;
    const map = new PointMap(root, element.current, view.store, theme, view.tool, view.brush, view.marked, view.questions, (points, how, touch, by) => view.selectByHand(points, how, touch, by), { boxes: view.cardBoxes, toggle: (point) => view.toggleCard(point) }, view.why, view.compare, view.walk.colors);
    view.map.value = map;
    return () => {
      view.map.value = null;
      map.destroy();
    };
  }, []);
  return (
    <div class="nbe-frame">
      <div
        ref={element}
        class="nbe-map"
        tabIndex={0}
        role="application"
        aria-label={strings.map}
        aria-roledescription={strings.embeddingMap}
        aria-description={strings.mapKeys}
        data-tool={view.tool.value}
        style={view.tool.value === "brush" ? { cursor: brushCursor(view.brush.value) } : {}}
      >
        <HoverCard view={view} />
        <Waiting view={view} />
        {view.map.value?.hint.value && <div class="nbe-hint">{view.map.value.hint}</div>}
      </div>
      <OpenCards view={view} />
      <PresentTitle view={view} />
      <Empty view={view} />
      {!view.still && <NamingField view={view} />}
    </div>
  );
}

/** The way back from where there are no points. */
function Empty({ view }: { view: View }) {
  const map = view.map.value;
  if (!map?.empty.value) return null;
  const back = (): void => {
    map.fitView();
    map.element.focus({ preventScroll: true }); // the button goes
  };
  return (
    <div class="nbe-empty">
      <span role="status">{strings.noPointsHere}</span>
      <button type="button" class="nbe-button" title={strings.fitViewHint} onClick={back}>{strings.fitView}</button>
    </div>
  );
}

/** A circle as large as the brush, dark and light, so that it is seen on any ground. */
function brushCursor(radius: number): string {
  const side = 2 * radius + 4;
  const circle = (color: string, width: number): string => `<circle cx='${side / 2}' cy='${side / 2}' r='${radius}' fill='none' stroke='${color}' stroke-width='${width}'/>`;
  const image = `<svg xmlns='http://www.w3.org/2000/svg' width='${side}' height='${side}'>${circle("white", 3)}${circle("black", 1)}</svg>`;
  return `url("data:image/svg+xml,${encodeURIComponent(image)}") ${side / 2} ${side / 2}, crosshair`;
}

/** Shown before the first layout, because affinities of many points take a while. */
function Waiting({ view }: { view: View }) {
  const { layout, traits } = view.store;
  if (layout.value.positions.length) return null;
  if (view.still) return <div class="nbe-waiting">{strings.snapshotWithoutMap}</div>;
  return <div class="nbe-waiting">{traits.state.value === "running" ? traits.compiling.value ? strings.compilingOnce : strings.preparingFirstLayout : strings.pressPlayToStart}</div>;
}

