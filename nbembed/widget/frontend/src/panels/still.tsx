/** The Explorer without a kernel: to look, zoom, hover and select. */
import type { Signal } from "@preact/signals";
import { inline } from "../state/cards";
import type { Theme } from "../host/theme";
import type { View } from "../view/view";
import type { Measure } from "../wire/wire.generated";
import { ClassSymbol } from "./class_symbol";
import { ColorBy } from "./color_by";
import { DataNote } from "./controls";
import { Icon } from "./icons";
import { MapPane } from "./map_pane";
import * as strings from "../strings";

interface StillProps {
  view: View;
  theme: Signal<Theme>;
  root: HTMLElement;
  /** The measure that the page can color by. */
  measure?: Measure | undefined;
}

export function StillApp({ view, theme, root, measure }: StillProps) {
  return (
    <>
      <div class="nbe-sized" style={{ "--nbe-height": `${view.store.traits.height.value}px` }}>
        <Head view={view} />
        <div class="nbe-body">
          <div class="nbe-main"><MapPane view={view} theme={theme} root={root} /></div>
          <div class="nbe-panel nbe-scrolls">
            <section class="nbe-section"><ColorBy view={view} measures={measure ? [measure] : []} /></section>
            <Classes view={view} />
            <section class="nbe-section" aria-label={strings.about}>
              <About view={view} />
              <DataNote view={view} />
            </section>
          </div>
        </div>
      </div>
      <div class="nbe-spoken" role="status" aria-live="polite">{view.spoken}</div>
    </>
  );
}

function Head({ view }: { view: View }) {
  const { n_samples: size, selection } = view.store.traits;
  const tool = view.tool.value;
  const chosen = selection.value.length;
  return (
    <div class="nbe-still-head" role="toolbar" aria-label={strings.map}>
      <div class="nbe-tools nbe-switch" role="group" aria-label={strings.tool}>
        <button type="button" class="nbe-tool" aria-label={strings.pan} aria-pressed={tool === "pan"} title={strings.panHint} onClick={() => view.choose("pan")}><Icon name="pan" /></button>
        <button type="button" class="nbe-tool" aria-label={strings.lasso} aria-pressed={tool === "lasso"} title={strings.stillLassoHint} onClick={() => view.choose("lasso")}><Icon name="lasso" /></button>
      </div>
      <button type="button" class="nbe-tool" aria-label={strings.fitView} title={strings.fitViewHint} onClick={() => view.map.peek()?.fitView()}><Icon name="fit" /></button>
      <div class="nbe-spring" />
      <span class="nbe-summary">
        {chosen ? strings.stillSelected(chosen.toLocaleString("en"), size.value.toLocaleString("en")) : strings.count(size.value)}
        {chosen > 0 && <button type="button" class="nbe-inline" aria-label={strings.clearSelection} title={strings.clearSelectionHint} onClick={() => view.clearSelection()}><Icon name="close" /></button>}
      </span>
    </div>
  );
}

/** The classes of the labels, each a button that selects its points. */
function Classes({ view }: { view: View }) {
  const classes = view.store.traits.classes.value;
  if (!classes.length) return null;
  return (
    <section class="nbe-section" aria-label={strings.classes}>
      <div class="nbe-heading"><h2>{strings.classes}</h2></div>
      <ul class="nbe-still-classes">
        {view.classOrder.value.map((k) => [classes[k], k] as const).map(([info, k]) => (
          <li key={k}>
            <button type="button" title={strings.selectItsPointsLabel} onClick={() => view.selectClass(k)}>
              <ClassSymbol view={view} info={info} /><span dir="auto">{inline(info.name)}</span> {view.counts.value[k].toLocaleString("en")}
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
}

function About({ view }: { view: View }) {
  const { method, iteration, cost, quality } = view.store.traits;
  const parts = [strings.stillMethod(method.value, iteration.value.toLocaleString("en"))];
  if (cost.value !== null) parts.push(strings.cost(cost.value.toPrecision(4)));
  if (quality.value !== null) parts.push(strings.stillQuality((100 * quality.value).toFixed(1)));
  return <p class="nbe-why">{strings.stillNote(parts.join(", "))}</p>;
}
