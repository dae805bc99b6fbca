/** A field in which a column is found by typing, with the list of those that match. */
import { useLayoutEffect, useMemo, useRef } from "preact/hooks";
import { inline } from "../state/cards";
import { ColumnSearch, type Choice, type ChoiceGroup } from "../state/column_search";
import { focusIsOn } from "../host/roots";
import type { View } from "../view/view";
import type { ColumnUse } from "../wire/wire.generated";
import { Icon } from "./icons";
import { useOwnId } from "./own_id";
import * as strings from "../strings";

/** Choices that PageUp and PageDown pass. */
const PAGE = 8;
/** Pixels of the list, at most and at least. */
const [HIGHEST, LOWEST] = [264, 96];
const NOTHING: readonly ChoiceGroup[] = [];
const NONE: ReadonlySet<number> = new Set();

interface PickerProps {
  view: View;
  use: ColumnUse;
  label: string;
  title?: string;
  /** What is chosen now, "" for nothing. */
  shown?: string;
  placeholder?: string;
  /** What can be chosen beside columns. */
  before?: readonly ChoiceGroup[];
  after?: readonly ChoiceGroup[];
  /** Columns that are not offered. */
  skipped?: ReadonlySet<number>;
  onChoose: (choice: Choice) => void;
}

export function ColumnPicker({ view, use, label, title, shown = "", placeholder = strings.typeAName, before = NOTHING, after = NOTHING, skipped = NONE, onChoose }: PickerProps) {
  const search = useMemo(() => new ColumnSearch(view.store, use, (message) => view.say(message)), [view, use]);
  const input = useRef<HTMLInputElement>(null);
  const list = useRef<HTMLDivElement>(null);
  const id = useOwnId();
  useLayoutEffect(() => search.offer(before, after, skipped), [before, after, skipped]);
  const open = search.open.value;
  const choices = search.choices.value;
  const active = Math.min(search.active.value, choices.length - 1);
  const listed = open && choices.length > 0;
  useLayoutEffect(() => {
    if (open) place(input.current, list.current);
  }, [open, choices]);
  useLayoutEffect(() => {
    list.current?.querySelector(`[id="${id}-${active}"]`)?.scrollIntoView({ block: "nearest" });
  }, [active, choices]);
  const take = (choice: Choice): void => {
    search.close();
    onChoose(choice);
  };
  const keys = (event: KeyboardEvent): void => {
    if (event.isComposing || event.ctrlKey || event.metaKey) return;
    const does: Record<string, () => void> = {
      Enter: () => (search.open.peek() ? search.accept(take) : search.begin()),
      ArrowDown: () => (search.open.peek() ? search.move(1) : search.begin()),
      ArrowUp: () => (search.open.peek() ? search.move(-1) : search.begin()),
      PageDown: () => search.move(PAGE),
      PageUp: () => search.move(-PAGE),
      Escape: () => (search.open.peek() ? search.close() : input.current?.closest<HTMLElement>(".nbe")?.focus({ preventScroll: true })),
    };
    if (!(event.key in does)) return;
    event.preventDefault();
    event.stopPropagation();
    does[event.key]();
  };
  let at = 0;
  return (
    <span class="nbe-picker" data-open={open}>
      <input
        ref={input} type="text" role="combobox" class="nbe-select nbe-picker-field" aria-label={label} title={title ?? (shown && !open ? inline(shown, 200) : "")}
        autocomplete="off" spellcheck={false} dir="auto" maxLength={200}
        aria-autocomplete="list" aria-haspopup="listbox" aria-expanded={listed} aria-busy={search.found.pending.value}
        {...(listed ? { "aria-controls": `${id}-list` } : {})} {...(listed && active >= 0 ? { "aria-activedescendant": `${id}-${active}` } : {})}
        placeholder={open && shown ? inline(shown, 40) : placeholder} value={open ? search.text.value : inline(shown, 60)}
        onInput={(e) => search.type(e.currentTarget.value)}
        onKeyDown={keys}
        onClick={() => search.begin()}
        onBlur={() => {
          if (!focusIsOn(input.current)) search.leave();
        }}
      />
      <Icon name="down" />
      {open && (
        <div ref={list} class="nbe-picker-list" onPointerDown={(e) => e.preventDefault()}>
          <div id={`${id}-list`} role="listbox" aria-label={label}>
            {search.groups.value.map(({ title: name, choices: own }) => (
              <div key={name} role="group" aria-label={name || label}>
                {name && <div class="nbe-picker-group" aria-hidden="true">{name}</div>}
                {own.map((choice) => {
                  const k = at++;
                  const text = inline(choice.text, 60) || "–";
                  return (
                    <div
                      key={choice.value} id={`${id}-${k}`} role="option" aria-selected={k === active} class={k === active ? "nbe-choice nbe-active" : "nbe-choice"}
                      title={inline(choice.text, 200)} dir="auto" onClick={() => take(choice)}
                    >
                      <span class="nbe-chip-name">{text}</span>
                    </div>
                  );
                })}
              </div>
            ))}
          </div>
          <Rest search={search} />
        </div>
      )}
    </span>
  );
}

/** What the list does not show: more matches, none, or why there are none. */
function Rest({ search }: { search: ColumnSearch }) {
  const error = search.found.error.value;
  const more = search.more.value;
  if (error) return <p class="nbe-why" role="alert">{inline(error, 200)}</p>;
  if (search.found.pending.value && !search.found.value.value) return <p class="nbe-why">…</p>;
  if (more > 0) return <p class="nbe-why">{strings.andMoreTypeName(more.toLocaleString("en"), search.text.value.trim() !== "")}</p>;
  return search.choices.value.length ? null : <p class="nbe-why">{strings.noColumnHasName}</p>;
}

/** Put the list where the widget has room: below the field, or above it. */
function place(field: HTMLElement | null, list: HTMLElement | null): void {
  const frame = field?.closest(".nbe")?.getBoundingClientRect();
  if (!field || !list || !frame) return;
  const { top, bottom } = field.getBoundingClientRect();
  const [above, below] = [top - frame.top - 8, frame.bottom - bottom - 8];
  const up = below < Math.min(HIGHEST, list.scrollHeight + 2) && above > below;
  list.dataset.up = String(up);
  list.style.maxHeight = `${Math.max(LOWEST, Math.min(HIGHEST, up ? above : below))}px`;
}
