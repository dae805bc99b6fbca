/** What can be done with the selection: label, link, keep apart, pin or forget its points. */
import { FEWEST } from "../view/child_maps";
import { inline } from "../state/cards";
import { shownCss } from "../points/contrast";
import type { View } from "../view/view";
import { useFocusKept } from "./focus";
import { Icon } from "./icons";
import { Sentence } from "./sentence";
import * as strings from "../strings";

/** At the lower edge of the panel, in sight however far that is scrolled. */
export function Labeling({ view }: { view: View }) {
  return view.store.traits.selection.value.length || view.links.apart.value ? <Actions view={view} /> : null;
}

function Actions({ view }: { view: View }) {
  const ref = useFocusKept<HTMLElement>();
  const { selection, classes } = view.store.traits;
  const count = selection.value.length;
  const chosen = classes.value[view.chosenClass.value];
  const named = chosen ? `‘${inline(chosen.name)}’` : "…";
  const confidence = view.confidence.value;
  const apart = view.links.apart.value;
  const held = view.links.held.value;
  return (
    <section ref={ref} class="nbe-section nbe-labeling" aria-label={strings.selection}>
      <label class="nbe-row nbe-confidence" title={strings.confidenceHint}>
        <span class="nbe-row-name">{strings.confidence}</span>
        <input
          type="range" class="nbe-range" aria-label={strings.confidence} aria-valuetext={confidence.toFixed(2)}
          min={0.5} max={1} step={0.05} value={confidence}
          style={{ "--nbe-filled": `${200 * (confidence - 0.5)}%` }}
          onInput={(e) => (view.confidence.value = e.currentTarget.valueAsNumber)}
        />
        <span class="nbe-value">{confidence.toFixed(2)}</span>
      </label>
      <button
        type="button" class="nbe-button nbe-primary" aria-label={count ? strings.labelPointsAsSpoken(count.toLocaleString("en"), named) : strings.labelSelection} aria-disabled={!count}
        title={count ? strings.labelSelectionHint : strings.selectPointsFirst}
        style={chosen ? { "--nbe-class": shownCss(chosen.color, view.theme.value) } : {}}
        onClick={() => view.labelSelection()}
      >
        {count ? <Sentence parts={strings.labelPointsAs(count.toLocaleString("en"), named)} /> : strings.labelSelection}
      </button>
      <div class="nbe-grid">
        <button type="button" class="nbe-button" aria-label={strings.mustLinkSelection} aria-disabled={count < 2} title={strings.mustLinkHint} onClick={() => view.links.mustLink()}>
          <Icon name="link" />{strings.mustLink}
        </button>
        <button
          type="button" class="nbe-button" aria-label={apart ? strings.keepApart : strings.keepApartSpoken} aria-disabled={!count} data-open={apart !== null}
          title={apart ? strings.keepApartFromHint(apart.length) : strings.keepApartHint}
          onClick={() => view.links.keepApart()}
        >
          <Icon name="apart" />{apart ? strings.keepApart : strings.keepApartButton}
        </button>
        <button
          type="button" class="nbe-button" aria-label={held ? strings.unpinSelection : strings.pinSelection} aria-disabled={!count} aria-pressed={held}
          title={held ? strings.unpinHint : strings.pinHint}
          onClick={() => view.links.pin()}
        >
          <Icon name="pin" />{held ? strings.unpin : strings.pin}
        </button>
        <button type="button" class="nbe-button" aria-label={strings.forget} aria-disabled={!count} title={strings.forgetHint} onClick={() => view.links.forget()}>
          <Icon name="forget" />{strings.forget}
        </button>
        {view.childMaps.possible && (
          <button type="button" class="nbe-button nbe-map-of" aria-label={strings.mapOfThesePoints} aria-disabled={count < FEWEST} title={count < FEWEST ? strings.selectAtLeastPoints(FEWEST) : strings.mapOfTheseHint} onClick={() => void view.childMaps.make()}>
            <Icon name="within" />{strings.mapOfThese}
          </button>
        )}
      </div>
      {apart && (
        <p class="nbe-why nbe-apart">
          {count
            ? <>{strings.keepApartQuestion(count.toLocaleString("en"), apart.length.toLocaleString("en"))}</>
            : <>{strings.selectOtherSide(apart.length)}</>}
          <button type="button" class="nbe-inline" aria-label={strings.cancelKeepingApart} title={strings.cancelEsc} onClick={() => view.links.cancelApart()}><Icon name="close" /></button>
        </p>
      )}
    </section>
  );
}
