/** What can be done with the selection: label, link, keep apart, pin or forget its points. */
import { FEWEST } from "../view/child_maps";
import { inline } from "../state/cards";
import { shownCss } from "../host/contrast";
import type { View } from "../view/view";
import { useFocusKept } from "./focus";
import { Icon } from "./icons";

/** At the lower edge of the panel, in sight however far that is scrolled. */
export function Labeling({ view }: { view: View }) {
  return view.store.traits.selection.value.length || view.apart.value ? <Actions view={view} /> : null;
}

function Actions({ view }: { view: View }) {
  const ref = useFocusKept<HTMLElement>();
  const { selection, classes } = view.store.traits;
  const count = selection.value.length;
  const chosen = classes.value[view.chosenClass.value];
  const named = chosen ? `‘${inline(chosen.name)}’` : "…";
  const confidence = view.confidence.value;
  const apart = view.apart.value;
  const held = view.held.value;
  return (
    <section ref={ref} class="nbe-section nbe-labeling" aria-label="Selection">
      <label class="nbe-row nbe-confidence" title="Confidence of the label; the remainder is spread over the other classes">
        <span class="nbe-row-name">Confidence</span>
        <input
          type="range" class="nbe-range" aria-label="Confidence" aria-valuetext={confidence.toFixed(2)}
          min={0.5} max={1} step={0.05} value={confidence}
          style={{ "--nbe-filled": `${200 * (confidence - 0.5)}%` }}
          onInput={(e) => (view.confidence.value = e.currentTarget.valueAsNumber)}
        />
        <span class="nbe-value">{confidence.toFixed(2)}</span>
      </label>
      <button
        type="button" class="nbe-button nbe-primary" aria-label={count ? `Label ${count.toLocaleString("en")} as ${named} (label selection)` : "Label selection"} aria-disabled={!count}
        title={count ? "Label the selected points (Enter)" : "Select points first"}
        style={chosen ? { "--nbe-class": shownCss(chosen.color, view.theme.value) } : {}}
        onClick={() => view.labelSelection()}
      >
        {count ? <>Label {count.toLocaleString("en")} as <b>{named}</b></> : "Label selection"}
      </button>
      <div class="nbe-grid">
        <button type="button" class="nbe-button" aria-label="Must-link selection" aria-disabled={count < 2} title="The selected points belong together, whatever their class" onClick={() => view.mustLink()}>
          <Icon name="link" />Must-link
        </button>
        <button
          type="button" class="nbe-button" aria-label={apart ? "Keep apart" : "Keep apart … (keep selection apart)"} aria-disabled={!count} data-open={apart !== null}
          title={apart ? `Keep the selected points apart from the ${apart.length} selected before (A)` : "Keep the selected points apart from others, which you select next (A)"}
          onClick={() => view.keepApart()}
        >
          <Icon name="apart" />{apart ? "Keep apart" : "Keep apart …"}
        </button>
        <button
          type="button" class="nbe-button" aria-label={held ? "Unpin selection" : "Pin selection"} aria-disabled={!count} aria-pressed={held}
          title={held ? "Let the selected points move again (H)" : "Keep the selected points in place (H)"}
          onClick={() => view.pin()}
        >
          <Icon name="pin" />{held ? "Unpin" : "Pin"}
        </button>
        <button type="button" class="nbe-button" aria-label="Forget" aria-disabled={!count} title="Remove labels, links and pins of the selected points" onClick={() => view.forget()}>
          <Icon name="forget" />Forget
        </button>
        {view.childMaps.possible && (
          <button type="button" class="nbe-button nbe-map-of" aria-label="Map of these points" aria-disabled={count < FEWEST} title={count < FEWEST ? `Select at least ${FEWEST} points` : "Make a map of the selected points alone, with neighbors of its own; labels are shared (M)"} onClick={() => void view.childMaps.make()}>
            <Icon name="within" />Map of these
          </button>
        )}
      </div>
      {apart && (
        <p class="nbe-why nbe-apart">
          {count
            ? <>Keep {count.toLocaleString("en")} apart from the {apart.length.toLocaleString("en")} chosen before?</>
            : <>Now select what the {apart.length.toLocaleString("en")} chosen {apart.length === 1 ? "point does" : "points do"} not belong with.</>}
          <button type="button" class="nbe-inline" aria-label="Cancel keeping apart" title="Cancel (Esc)" onClick={() => view.cancelApart()}><Icon name="close" /></button>
        </p>
      )}
    </section>
  );
}
