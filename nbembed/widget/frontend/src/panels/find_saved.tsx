/** Selections by name: save the present one, recall or delete others. */
import { useSignal } from "@preact/signals";
import { inline } from "../state/cards";
import type { View } from "../view/view";
import { useFocusKept } from "./focus";
import { Icon } from "./icons";

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
      <div class="nbe-heading"><h3>Saved selections</h3></div>
      <div class="nbe-row">
        <input
          type="text" class="nbe-find-text" aria-label="Name of the selection" placeholder="name, then Enter" dir="auto" maxLength={LONGEST} value={name.value}
          onInput={(e) => (name.value = e.currentTarget.value)}
          onKeyDown={(e) => e.key === "Enter" && save()}
        />
        <button
          type="button" class="nbe-button nbe-find-save" aria-label="Save selection" aria-disabled={!ready}
          title={count ? (known ? "Replace the selection that is saved by this name" : "Save the selected points by this name") : "Select points first"}
          onClick={save}
        >
          {known ? "Replace" : "Save"}
        </button>
      </div>
      {saved.length > 0 && (
        <ul class="nbe-find-saved" aria-label="Saved selections">
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
  const text = inline(name, LONGEST) || "(blank)";
  return (
    <li ref={ref}>
      <button type="button" aria-label={`Select ${text} (${count})`} title={`Select ${text}`} onClick={() => view.find.recall(name)}>
        <bdi>{text}</bdi><span class="nbe-faint">{count.toLocaleString("en")}</span>
      </button>
      <button type="button" class="nbe-inline" aria-label={`Delete ${text}`} title="Delete" onClick={() => view.find.delete(name)}><Icon name="close" /></button>
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
      <span class="nbe-why nbe-find-count"><bdi>{inline(lost.name, 30)}</bdi> {there ? "was replaced." : "was deleted."}</span>
      <button type="button" class="nbe-button nbe-find-clear" title={`Save the ${lost.points.length.toLocaleString("en")} points by this name again`} onClick={() => view.find.putBack()}>Put back</button>
    </div>
  );
}
