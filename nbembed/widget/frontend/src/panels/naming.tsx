/** The field beside a selection in which its class is typed, with the classes that the text may stand for. */
import { useSignal } from "@preact/signals";
import { useLayoutEffect, useRef } from "preact/hooks";
import { areDigits, type Choice } from "../view/naming";
import { focusIsOn } from "../host/roots";
import type { View } from "../view/view";
import { ClassSymbol } from "./class_symbol";
import { useOwnId } from "./own_id";
import * as strings from "../strings";

const LABELS = { selection: strings.classOfTheSelection, question: strings.classOfThePoint, next: strings.classToLabel } as const;

export function NamingField({ view }: { view: View }) {
  const purpose = view.naming.purpose.value;
  return purpose ? <Field key={purpose} view={view} label={LABELS[purpose]} /> : null;
}

function Field({ view, label }: { view: View; label: string }) {
  const { naming } = view;
  const input = useRef<HTMLInputElement>(null);
  const list = useRef<HTMLUListElement>(null);
  const id = useOwnId();
  const [left, top] = naming.place.value;
  const choices = naming.choices.value;
  const text = naming.text.value;
  const through = useSignal(false);
  const active = Math.min(naming.active.value, choices.length - 1);
  useLayoutEffect(() => {
    if (naming.eager.peek()) input.current?.focus({ preventScroll: true });
  }, [naming.place.value]);
  useLayoutEffect(() => {
    const option = list.current?.children[active] as HTMLElement | undefined;
    if (option && list.current) {
      const { offsetTop, offsetHeight } = option;
      const { scrollTop, clientHeight } = list.current;
      if (offsetTop < scrollTop) list.current.scrollTop = offsetTop;
      else if (offsetTop + offsetHeight > scrollTop + clientHeight) list.current.scrollTop = offsetTop + offsetHeight - clientHeight;
    }
  }, [active, choices]);
  /** End the input; the map has the focus again, and with it the keys. */
  const end = (action: () => void): void => {
    const focused = focusIsOn(input.current);
    action();
    if (focused && !naming.purpose.peek()) view.map.peek()?.element.focus({ preventScroll: true });
  };
  const keys = (event: KeyboardEvent): void => {
    // With Shift and Alt a lasso adds and removes: it may begin below the field, too.
    through.value = !text && (event.key === "Shift" || event.key === "Alt");
    if (event.isComposing) return; // Enter ends the composition of a character, not the name
    const does: Record<string, () => void> = {
      Enter: () => end(() => naming.accept(event.shiftKey)),
      Escape: () => end(() => naming.close()),
      ArrowDown: () => naming.move(1),
      ArrowUp: () => naming.move(-1),
    };
    if (event.ctrlKey || event.metaKey || event.altKey || !(event.key in does)) return;
    event.preventDefault();
    does[event.key]();
  };
  return (
    <div class="nbe-naming" role="group" aria-label={label} data-through={through.value} style={{ left: `${left}px`, top: `${top}px` }}>
      <input
        ref={input} class="nbe-name" type="text" role="combobox" aria-label={label} autocomplete="off" spellcheck={false} maxLength={60}
        aria-expanded={choices.length > 0} aria-autocomplete="list"
        {...(choices.length ? { "aria-controls": `${id}-list`, "aria-activedescendant": `${id}-${active}` } : {})}
        placeholder={view.chosenName.value ? strings.typeAName : strings.nameThenEnter} value={text} data-empty={text === ""}
        onInput={(e) => naming.type(e.currentTarget.value)}
        onKeyDown={keys}
        onKeyUp={() => (through.value = false)}
        onBlur={() => {
          // What was typed is kept when the focus goes elsewhere; an empty field is not needed.
          if (!focusIsOn(input.current) && !naming.text.peek()) naming.close();
        }}
      />
      {choices.length > 0 && <ul ref={list} id={`${id}-list`} role="listbox" aria-label={strings.classes}>
        {choices.map((choice, at) => <Option key={`${choice.index} ${choice.name}`} view={view} choice={choice} id={`${id}-${at}`} active={at === active} onTake={() => end(() => naming.accept(false, at))} />)}
      </ul>}
    </div>
  );
}

function Option({ view, choice, id, active, onTake }: { view: View; choice: Choice; id: string; active: boolean; onTake: () => void }) {
  const info = view.store.traits.classes.value[choice.index];
  return (
    <li
      id={id} role="option" aria-selected={active} class={active ? "nbe-choice nbe-active" : "nbe-choice"}
      title={info ? choice.name : strings.newClassHint(choice.name)}
      onPointerDown={(e) => e.preventDefault()} onClick={onTake}
    >
      {info ? <ClassSymbol view={view} info={info} /> : <span class="nbe-new">{strings.newClassMark}</span>}
      <span class="nbe-chip-name">{choice.name}</span>
      {info && !areDigits(view.store.traits.classes.value) && <kbd>{choice.place + 1}</kbd>}
    </li>
  );
}
