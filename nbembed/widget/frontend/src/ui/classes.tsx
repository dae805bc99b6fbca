/** The classes: choose, add or rename one, select all of its points. */
import { useLayoutEffect, useRef } from "preact/hooks";
import { shapePath } from "../points/shapes";
import type { View } from "../view";
import type { ClassInfo } from "../wire.generated";
import { Icon } from "./icons";

let groups = 0;

export function ClassPalette({ view }: { view: View }) {
  const group = useRef(`nbe-class-${++groups}`).current;
  const classes = view.store.traits.classes.value;
  return (
    <div class="nbe-classes">
      <div class="nbe-heading">
        <h3>Classes</h3>
        <button type="button" class="nbe-inline" aria-label="Add class" title="Add class" onClick={() => (view.newClass.value = "")}>
          <Icon name="add" />
        </button>
      </div>
      <div class="nbe-chips" role="radiogroup" aria-label="Class">
        {classes.map((info, index) =>
          view.renaming.value === index
            ? <NameField key={`rename ${index}`} label="Class name" initial={info.name} onDone={(name) => view.renameClass(index, name)} onCancel={() => (view.renaming.value = null)} />
            : <ClassChip key={index} view={view} info={info} index={index} group={group} />)}
      </div>
      {view.newClass.value !== null && <NameField label="New class" initial={view.newClass.value} onDone={(name) => void view.addClass(name)} onCancel={() => view.cancelNewClass()} />}
      {!classes.length && view.newClass.value === null && <p class="nbe-why">Lasso some points and label them.</p>}
    </div>
  );
}

function ClassChip({ view, info, index, group }: { view: View; info: ClassInfo; index: number; group: string }) {
  const chosen = view.chosenClass.value === index;
  const count = view.counts.value[index] ?? 0;
  return (
    <div class={chosen ? "nbe-chip nbe-chosen" : "nbe-chip"} style={{ "--nbe-class": info.color }}>
      <label title={`${info.name}${index < 9 ? ` (${index + 1})` : ""}; double-click to rename`} onDblClick={() => (view.renaming.value = index)}>
        <input type="radio" name={group} aria-label={info.name} checked={chosen} onChange={() => view.chooseClass(index)} />
        <ClassSymbol info={info} />
        <span class="nbe-chip-name">{info.name}</span>
      </label>
      <button type="button" class="nbe-count" aria-label={`Select all of ${info.name} (${count})`} title={`Select all ${count} labeled ${info.name}`} onClick={() => view.selectClass(index)}>
        {count}
      </button>
    </div>
  );
}

function ClassSymbol({ info }: { info: ClassInfo }) {
  return (
    <svg class="nbe-shape" viewBox="0 0 20 20" width="14" height="14" aria-hidden="true">
      <path d={shapePath(info.symbol)} fill={info.color} />
    </svg>
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
    const focused = document.activeElement === input.current;
    action();
    if (focused) root?.focus({ preventScroll: true });
  };
  return (
    <input
      ref={input}
      class="nbe-name"
      type="text"
      aria-label={label}
      placeholder="name, then Enter"
      maxLength={60}
      value={initial}
      onKeyDown={(e) => {
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
