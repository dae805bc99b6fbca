/** What a map is prepared with, in a fold: numbers and words, and what a change of each costs. */
import type { View } from "../view/view";
import type { Prepared } from "../wire/wire.generated";
import { Icon } from "./icons";
import { NumberField } from "./number_field";
import { useOwnId } from "./own_id";
import * as strings from "../strings";

export function Advanced({ view }: { view: View }) {
  const open = view.advancedOpen;
  const prepared = view.store.traits.prepared.value;
  if (!prepared.length) return null;
  return (
    <>
      <button type="button" class="nbe-disclosure" aria-expanded={open.value} title={prepared.map(({ title }) => title).join(", ")} onClick={() => (open.value = !open.peek())}>
        <Icon name={open.value ? "down" : "more"} />{strings.advanced}
      </button>
      {open.value && prepared.map((each) => <Row key={each.name} view={view} prepared={each} />)}
    </>
  );
}

function Row({ view, prepared: { name, title, value, words, description, cost } }: { view: View; prepared: Prepared }) {
  const id = useOwnId();
  const number = Number(value);
  return (
    <div class="nbe-advanced" title={description}>
      <div class="nbe-row">
        <span class="nbe-row-name">{title}</span>
        {words.length ? (
          <select class="nbe-select" aria-label={title} aria-describedby={id} value={value} onChange={(e) => view.setWord(name, e.currentTarget.value)}>
            {!words.includes(value) && <option value={value} disabled>{value}</option>}
            {words.map((word) => <option key={word} value={word}>{word}</option>)}
          </select>
        ) : (
          <NumberField label={title} text={value} hint={strings.descriptionWithNumberHint(description)} onValue={(next) => view.set(name, next)} onStep={(by) => Number.isFinite(number) && view.set(name, number + by)} />
        )}
      </div>
      <p class="nbe-why" id={id}>{cost}</p>
    </div>
  );
}
