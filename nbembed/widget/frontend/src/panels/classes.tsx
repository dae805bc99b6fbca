/** The classes: choose, add, rename or edit one, select all of its points. */
import { useLayoutEffect, useRef } from "preact/hooks";
import { inline } from "../state/cards";
import { shownCss } from "../points/contrast";
import { keyOfClass } from "../view/naming";
import { focusIsOn } from "../host/roots";
import type { View } from "../view/view";
import type { ClassInfo } from "../wire/wire.generated";
import { ClassEditor } from "./class_editor";
import { ClassSymbol } from "./class_symbol";
import { Icon } from "./icons";
import * as strings from "../strings";

let groups = 0;

export function ClassPalette({ view }: { view: View }) {
  const group = useRef(`nbe-class-${++groups}`).current;
  const classes = view.store.traits.classes.value;
  const index = view.chosenClass.value;
  const chosen = classes[index];
  const editing = view.classEdits.open.value;
  const counts = classes.map((_, k) => countText(view, k));
  return (
    <div class="nbe-classes">
      <div class="nbe-heading">
        <h3>{strings.classes}</h3>
        <span class="nbe-steps">
          {view.classEdits.hidden.size > 0 && (
            <button type="button" class="nbe-inline" aria-label={strings.showAllClasses} title={strings.showAllClassesHint} onClick={() => view.classEdits.showAll()}><Icon name="hidden" /></button>
          )}
          {chosen && (
            <button type="button" class="nbe-inline" aria-label={strings.editClass} aria-expanded={editing} title={strings.editClassHint(chosen.name)} onClick={() => (view.classEdits.open.value = !editing)}>
              <Icon name="pencil" />
            </button>
          )}
          <button type="button" class="nbe-inline" aria-label={strings.addClass} title={strings.addClass} onClick={() => (view.newClass.value = "")}><Icon name="add" /></button>
        </span>
      </div>
      <div class="nbe-chips" role="radiogroup" aria-label={strings.oneClass} style={{ "--nbe-letters": Math.max(0, ...classes.map(({ name }, k) => name.length + counts[k].length)) }}>
        {view.classOrder.value.map((at) => [classes[at], at] as const).map(([info, at]) =>
          view.classEdits.renaming.value === info.name
            ? <NameField key={`rename ${at}`} label={strings.className} initial={info.name} onDone={(name) => view.classEdits.rename(info.name, name)} onCancel={() => (view.classEdits.renaming.value = null)} />
            : <ClassChip key={at} view={view} info={info} index={at} group={group} />)}
      </div>
      {editing && chosen && <ClassEditor key={chosen.name} view={view} info={chosen} index={index} />}
      {view.newClass.value !== null && <NameField label={strings.newClass} initial={view.newClass.value} onDone={(name) => void view.addClass(name)} onCancel={() => view.cancelNewClass()} />}
      {!classes.length && view.newClass.value === null && <p class="nbe-why">{strings.noClassesYet}</p>}
    </div>
  );
}

function countText(view: View, index: number): string {
  return (view.counts.value[index] ?? 0).toLocaleString("en");
}

function ClassChip({ view, info, index, group }: { view: View; info: ClassInfo; index: number; group: string }) {
  const chosen = view.chosenClass.value === index;
  const count = countText(view, index);
  const key = keyOfClass(info, view.store.traits.classes.value);
  const name = inline(info.name, 120);
  return (
    <div class={chosen ? "nbe-chip nbe-chosen" : "nbe-chip"} data-hidden={info.hidden} style={{ "--nbe-class": shownCss(info.color, view.theme.value) }}>
      <label title={strings.classHint(name, key && ` (${key})`)} onDblClick={() => (view.classEdits.renaming.value = info.name)}>
        <input type="radio" name={group} aria-label={name} checked={chosen} onChange={() => view.chooseClass(index)} />
        <ClassSymbol view={view} info={info} />
        <span class="nbe-chip-name">{name}</span>
      </label>
      <button type="button" class="nbe-count" aria-label={strings.selectClass(name, count)} title={strings.selectClassHint(count, name)} onClick={() => view.selectClass(index)}>
        {count}
      </button>
    </div>
  );
}

function NameField({ label, initial, onDone, onCancel }: { label: string; initial: string; onDone: (name: string) => void; onCancel: () => void }) {
  const input = useRef<HTMLInputElement>(null);
  const over = useRef(false);
  useLayoutEffect(() => {
    input.current?.focus();
    input.current?.select();
  }, []);
  // Enter, Escape and leaving the field each end the input; only the first counts.
  const end = (action: () => void): void => {
    if (over.current) return;
    over.current = true;
    const root = input.current?.closest<HTMLElement>(".nbe");
    const focused = focusIsOn(input.current);
    action();
    if (focused) root?.focus({ preventScroll: true });
  };
  return (
    <input
      ref={input}
      class="nbe-name"
      type="text"
      aria-label={label}
      placeholder={strings.nameThenEnter}
      maxLength={60}
      value={initial}
      onKeyDown={(e) => {
        if (e.isComposing) return;
        if (e.key === "Enter") {
          const name = e.currentTarget.value;
          e.preventDefault();
          end(() => onDone(name));
        } else if (e.key === "Escape") {
          e.preventDefault();
          end(onCancel);
        }
      }}
      onBlur={(e) => {
        const name = e.currentTarget.value;
        end(() => (name.trim() ? onDone(name) : onCancel()));
      }}
    />
  );
}
