/** The other map of a comparison beside the first, and what the two are called. */
import type { Signal } from "@preact/signals";
import { useLayoutEffect, useRef } from "preact/hooks";
import { SecondMap } from "../map/second_map";
import type { Theme } from "../host/theme";
import type { View } from "../view/view";
import * as strings from "../strings";

export function ComparePane({ view, theme }: { view: View; theme: Signal<Theme> }) {
  const { compared } = view.store.traits;
  const first = view.map.value;
  return compared.value?.view === "side" && first ? <Beside key="beside" view={view} theme={theme} /> : null;
}

function Beside({ view, theme }: { view: View; theme: Signal<Theme> }) {
  const element = useRef<HTMLDivElement>(null);
  const first = view.map.value;
  const { compare, store } = view;
  useLayoutEffect(() => {
    if (!element.current || !first) return;
    const map = new SecondMap(element.current, first, store, theme, compare, (points, how, touch, by) => view.selectByHand(points, how, touch, by));
    return () => map.destroy();
  }, [first]);
  const { compared, second } = store.traits;
  const making = compared.value?.snapshot === "" && !compare.beside.value.value?.version ? second.value?.making : "";
  const error = compare.beside.error.value;
  return (
    <div class="nbe-frame nbe-beside" role="img" aria-label={strings.mapCompared(compare.title.value)}>
      <div ref={element} class="nbe-map" data-tool={view.tool.value}>
        {!compare.places.value && <div class="nbe-waiting">{error || making || "…"}</div>}
      </div>
      <span class="nbe-map-title" dir="auto" title={compare.title.value}>{compare.title.value}</span>
    </div>
  );
}

/** What the first map is, while it is compared. */
export function PresentTitle({ view }: { view: View }) {
  const compared = view.store.traits.compared.value;
  if (!compared) return null;
  const { compare } = view;
  const blended = `${Math.round(100 * compare.share.value)} % ${compare.title.value}`;
  return <span class="nbe-map-title" dir="auto">{compared.view === "blend" ? blended : compare.firstTitle.value}</span>;
}
