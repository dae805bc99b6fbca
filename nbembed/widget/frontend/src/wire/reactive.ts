/**
 * For a host that runs cells again when the page writes a trait: `revision` counts the changes of what
 * a person gives, so that cells can depend on selection, labels and links.
 */
import { effect } from "@preact/signals";
import type { Model, TraitName } from "./wire";

const GIVEN = ["selection", "label_codes", "label_confidence", "links", "cannot_links"] as const satisfies readonly TraitName[];
/** Milliseconds without a change after which cells run. */
const SETTLED = 150;

type Given = { readonly [K in (typeof GIVEN)[number]]: { value: ArrayLike<unknown> } };

/** Count changes until the function that is returned is called. */
export function countChanges(model: Model, traits: Given): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const read = () => GIVEN.map((name) => traits[name].value);
  let counted = read();
  const count = (): void => {
    const now = read();
    // The kernel repeats what the page has shown already.
    if (now.every((values, k) => same(values, counted[k]))) return;
    counted = now;
    model.set("revision", Number(model.get("revision")) + 1);
    model.save_changes();
  };
  const stop = effect(() => {
    read();
    clearTimeout(timer);
    timer = setTimeout(count, SETTLED);
  });
  return () => {
    clearTimeout(timer);
    stop();
  };
}

function same(a: ArrayLike<unknown>, b: ArrayLike<unknown>): boolean {
  if (a === b) return true;
  if (a.length !== b.length) return false;
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i] && JSON.stringify(a[i]) !== JSON.stringify(b[i])) return false;
  return true;
}
