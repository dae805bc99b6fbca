/** The record: what was done and by whom, each step a place to go back to; what can be exported. */
import { inline } from "../state/cards";
import type { Made } from "../view/changes";
import { clock, WHO } from "../state/origin";
import type { View } from "../view/view";
import type { PastChange } from "../wire/wire.generated";
import { Icon } from "./icons";
import { PictureFiles } from "./picture";
import { useWatch } from "./watch";
import { Sentence } from "./sentence";
import * as strings from "../strings";

export function HistoryPanel({ view }: { view: View }) {
  const { changes } = view;
  useWatch(() => changes.follow());
  return (
    <>
      <section class="nbe-section" aria-label={strings.changes}>
        <div class="nbe-heading"><h3>{strings.changes}</h3></div>
        <ChangeList view={view} />
        <LabelTable view={view} />
      </section>
      <section class="nbe-section" aria-label={strings.exportSection}>
        <div class="nbe-heading"><h3>{strings.exportSection}</h3></div>
        <Export view={view} />
      </section>
      <Saved view={view} />
    </>
  );
}

function ChangeList({ view }: { view: View }) {
  const { value, error } = view.changes.answers;
  const known = value.value;
  const gone = view.store.link.state.value === "gone";
  if (error.value && !gone) return <p class="nbe-why" role="alert">{error.value}</p>;
  if (!known) return <p class="nbe-why">{gone ? strings.historyWithoutKernel : "…"}</p>;
  const { place, first } = known;
  const list = [...known.changes].reverse();
  if (!list.length) return <p class="nbe-why">{strings.historyEmpty}</p>;
  return (
    <>
      <p class="nbe-why">{strings.historyHint}</p>
      <ol class="nbe-changes" reversed>
        {list.map((change) => (
          <Place key={change.number} view={view} number={change.number} text={change.text} here={change.number === place} undone={change.number > place} detail={origin(change)} disabled={gone} />
        ))}
        {first === 0
          ? <Place view={view} number={0} text={strings.theBeginning} here={place === 0} undone={false} detail="" disabled={gone} />
          : <li class="nbe-faint nbe-older">{strings.noLongerKept(first)}</li>}
      </ol>
    </>
  );
}

/** Opens the labels as data, below the map. */
function LabelTable({ view }: { view: View }) {
  const open = view.dock.value === "labels";
  const gone = view.store.link.state.value === "gone";
  const title = gone ? strings.needsTheKernel : strings.labelTableHint;
  return (
    <button type="button" class="nbe-button" aria-pressed={open} aria-disabled={gone} title={title} onClick={() => !gone && (view.dock.value = open ? "" : "labels")}>
      {strings.labelTable}
    </button>
  );
}

interface PlaceProps {
  view: View;
  number: number;
  text: string;
  detail: string;
  here: boolean;
  undone: boolean;
  disabled: boolean;
}

function Place({ view, number, text, detail, here, undone, disabled }: PlaceProps) {
  const said = inline(text, 200);
  return (
    <li>
      <button
        type="button" class="nbe-change" data-undone={undone} aria-disabled={disabled || here} {...(here ? { "aria-current": "step" } : {})}
        title={here ? strings.historyHere : strings.historyAllUpToHere(undone ? strings.redo : strings.undo)}
        onClick={() => !here && !disabled && view.goTo(number, said)}
      >
        <span class="nbe-change-text" dir="auto">{said}</span>
        {detail && <span class="nbe-faint">{detail}</span>}
        {undone && <span class="nbe-faint nbe-change-undone">{strings.undone}</span>}
      </button>
      {number > 0 && !disabled && (
        <button type="button" class="nbe-inline" aria-label={strings.copyAsCode(said)} title={strings.copyAsCodeHint} onClick={() => view.changes.copyCode(number)}><Icon name="copy" /></button>
      )}
    </li>
  );
}

/** Who, when and where the map was. */
function origin({ source, time, iteration }: PastChange): string {
  const parts = [WHO[source] ?? ""];
  if (time !== null) parts.push(clock(1000 * time));
  if (iteration !== null) parts.push(strings.iteration(iteration.toLocaleString("en")));
  return parts.filter(Boolean).join(" · ");
}

function Export({ view }: { view: View }) {
  const { changes } = view;
  const gone = view.store.link.state.value === "gone";
  const made = changes.making.value;
  const file = (what: Made, text: string, hint: string) => (
    <button type="button" class="nbe-button" aria-disabled={gone || made !== ""} aria-busy={made === what} title={gone ? strings.needsTheKernel : hint} onClick={() => changes.save(what)}>
      <Icon name="save" />{text}
    </button>
  );
  return (
    <>
      <PictureFiles view={view} />
      <div class="nbe-grid">
        {file("web_page", strings.webPage, strings.webPageHint)}
        {file("labels_csv", strings.labels, strings.labelsCsvHint)}
      </div>
      {changes.problem.value && <p class="nbe-why" role="alert">{changes.problem.value}</p>}
    </>
  );
}

/** Whether the session is saved by itself. */
function Saved({ view }: { view: View }) {
  const { saved_to: file, save_error: error } = view.store.traits;
  if (!file.value || error.value) return null; // an error is a notice below the map
  return (
    <section class="nbe-section" aria-label={strings.saving}>
      <p class="nbe-why"><Sentence parts={strings.savedAfterEachChangeTo(inline(file.value))} /></p>
    </section>
  );
}
