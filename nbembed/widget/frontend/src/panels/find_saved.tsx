/** Selections by name: save the present one, recall or delete others. */
import { useSignal } from "@preact/signals";
import { inline } from "../state/cards";
import type { View } from "../view/view";
import { useFocusKept } from "./focus";
import { Icon } from "./icons";
import * as strings from "../strings";

/** Characters of a name. */
const LONGEST = 80;

export function SavedSelections({ view }: { view: View }) {
  const { find } = view;
  const name = useSignal("");
  const saved = view.store.traits.selections.value;
  const count = view.store.traits.selection.value.length;
  const ready = count > 0 && name.value.trim() !== "";
  const known = saved.some((selection) => selection.name === name.value.trim());
  const save = (): void => {
    if (!ready) return;
    find.save(name.peek());
    name.value = "";
  };
  return (
    <>
      <div class="nbe-heading"><h3>{strings.savedSelections}</h3></div>
      <div class="nbe-row">
        <input
          type="text" class="nbe-find-text" aria-label={strings.nameOfTheSelection} placeholder={strings.nameThenEnter} dir="auto" maxLength={LONGEST} value={name.value}
          onInput={(e) => (name.value = e.currentTarget.value)}
          onKeyDown={(e) => e.key === "Enter" && save()}
        />
        <button
          type="button" class="nbe-button nbe-find-save" aria-label={strings.saveSelection} aria-disabled={!ready}
          title={count ? (known ? strings.replaceSelectionHint : strings.saveSelectionHint) : strings.selectPointsFirst}
          onClick={save}
        >
          {known ? strings.replace : strings.save}
        </button>
      </div>
      {saved.length > 0 && (
        <ul class="nbe-find-saved" aria-label={strings.savedSelections}>
          {saved.map((selection) => <Saved key={selection.name} view={view} name={selection.name} count={selection.count} />)}
        </ul>
      )}
      <Lost view={view} />
      {find.problem.value && <p class="nbe-why nbe-find-error" role="alert">{inline(find.problem.value, 200)}</p>}
    </>
  );
}

function Saved({ view, name, count }: { view: View; name: string; count: number }) {
  const ref = useFocusKept<HTMLLIElement>();
  const text = inline(name, LONGEST) || strings.blank;
  return (
    <li ref={ref}>
      <button type="button" aria-label={strings.select(text, count)} title={strings.selectText(text)} onClick={() => view.find.recall(name)}>
        <bdi>{text}</bdi><span class="nbe-faint">{count.toLocaleString("en")}</span>
      </button>
      <button type="button" class="nbe-inline" aria-label={strings.deleteNamed(text)} title={strings.deleteLabel} onClick={() => view.find.delete(name)}><Icon name="close" /></button>
    </li>
  );
}

/** What was deleted or replaced can be put back. */
function Lost({ view }: { view: View }) {
  const ref = useFocusKept<HTMLDivElement>();
  const lost = view.find.lost.value;
  if (!lost) return null;
  const there = view.store.traits.selections.value.some(({ name }) => name === lost.name);
  return (
    <div ref={ref} class="nbe-row">
      <span class="nbe-why nbe-find-count"><bdi>{inline(lost.name, 30)}</bdi> {there ? strings.wasReplaced : strings.wasDeleted}</span>
      <button type="button" class="nbe-button nbe-find-clear" title={strings.putBackHint(lost.points.length)} onClick={() => view.find.putBack()}>{strings.putBack}</button>
    </div>
  );
}
