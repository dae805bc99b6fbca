/** The method, a slider for each live parameter that it declares, and what colors the points. */
import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { inline } from "../state/cards";
import type { View } from "../view/view";
import type { Control } from "../wire/wire.generated";
import { NumberField } from "./number_field";
import * as strings from "../strings";

export function MethodSelect({ view }: { view: View }) {
  const { method, methods, method_groups: methodGroups } = view.store.traits;
  const grouped = new Set(methodGroups.value.flatMap((group) => group.names));
  const sentence = methodGroups.value.flatMap(({ names, sentences }) => names.flatMap((name, k) => (name === method.value ? [sentences[k] ?? ""] : [])))[0] ?? "";
  return (
    <label class="nbe-row">
      <select class="nbe-select" aria-label={strings.method} title={sentence ? `${method.value}: ${sentence}` : method.value} value={method.value} onChange={(e) => view.switchMethod(e.currentTarget.value)}>
        {/* The closed menu has room for the name alone. */}
        {methodGroups.value.map(({ title, names, sentences }) => (
          <optgroup key={title} label={title}>
            {names.map((name, k) => <option key={name} value={name}>{sentences[k] && name !== method.value ? `${name} · ${sentences[k]}` : name}</option>)}
          </optgroup>
        ))}
        {methods.value.filter((name) => !grouped.has(name)).map((name) => <option key={name} value={name}>{name}</option>)}
      </select>
    </label>
  );
}

export function Controls({ view }: { view: View }) {
  return (
    <>
      {view.store.traits.controls.value.map((control) => (
        <ControlSlider
          key={`${view.store.traits.method.value}.${control.name}`} control={control} label={control.symbol}
          kernel={view.store.traits.parameters.value[control.name]} waits={view.waits(control.name)}
          set={(value) => view.set(control.name, value)} say={(message) => view.say(message)}
        />
      ))}
    </>
  );
}

const MOST_CLASSES = 60;

/** The number of classes, where it is a parameter of the method. */
export function ClassCount({ view }: { view: View }) {
  const count = view.store.traits.class_count.value;
  if (!count) return null;
  const { name, value, low } = count;
  return (
    <label class="nbe-row" title={strings.numberOfClassesHint}>
      <span class="nbe-row-name">{strings.numberOfClasses}</span>
      <input
        type="number" class="nbe-number" aria-label={strings.numberOfClasses} min={low} max={MOST_CLASSES} step={1} value={value}
        onChange={(e) => {
          const next = e.currentTarget.valueAsNumber;
          if (Number.isInteger(next) && next >= low) view.set(name, next);
          else e.currentTarget.value = String(value);
        }}
      />
    </label>
  );
}

/** Milliseconds from the last input, once the kernel has taken it, until the kernel's value is shown again. */
const RELEASE_DELAY = 700;
/** Number of steps of a logarithmic slider. */
const LOG_STEPS = 200;

interface ControlSliderProps {
  control: Control;
  label: string;
  /** The value that the kernel has. */
  kernel: number | string | null | undefined;
  /** Whether the kernel has not taken the last value yet. */
  waits: boolean;
  set: (value: number) => void;
  say: (message: string) => void;
}

export function ControlSlider({ control, label, kernel, waits, set: send, say }: ControlSliderProps) {
  const held = useSignal<number | null>(null);
  const lacked = useRef("");
  const { low, high, scale, step, enabled, symbol, name, needs } = control;
  const description = [control.description, needs].filter(Boolean).join(" ");
  if (needs) lacked.current = needs;
  const [stem, index] = symbol.split("_");
  const value = held.value ?? (typeof kernel === "number" ? kernel : low);
  useEffect(() => {
    if (held.value === null || waits) return;
    const timer = setTimeout(() => (held.value = null), RELEASE_DELAY);
    return () => clearTimeout(timer);
  }, [held.value, waits]);
  const log = scale === "log";
  const position = log ? Math.log(Math.max(value, low) / low) / Math.log(high / low) : value;
  const set = (next: number): void => {
    if (!enabled) return;
    held.value = next;
    send(next);
  };
  const at = (raw: number): number => (log ? tidy(low * (high / low) ** raw) : raw);
  const move = (by: 1 | -1): void => {
    if (log) set(at(Math.min(1, Math.max(0, position + by / LOG_STEPS))));
    else set(Number(Math.min(high, Math.max(low, value + by * (step || (high - low) / 100))).toPrecision(12)));
  };
  const reset = (): void => {
    set(control.usual);
    say(strings.sliderIsBackTo(label, format(control.usual, log ? control.usual / 50 : step)));
  };
  const text = format(value, log ? value / 50 : step);
  const filled = log ? position : (position - low) / (high - low || 1);
  return (
    <div class={enabled ? "nbe-control" : "nbe-control nbe-off"} title={strings.sliderHint(description, name, format(control.usual, log ? control.usual / 50 : step))}>
      <div class="nbe-control-head" onDblClick={(e) => !(e.target instanceof HTMLInputElement) && reset()}>
        <span class="nbe-symbol" aria-hidden="true">{stem}{index && <sub>{index}</sub>}</span>
        <span class="nbe-control-name" aria-hidden="true">{gist(description)}</span>
        <NumberField
          label={strings.sliderNumber(label)} text={typeof kernel === "number" || held.value !== null ? text : "–"} disabled={!enabled}
          hint={strings.sliderNumberHint} onValue={set} onStep={move}
        />
      </div>
      <input
        type="range"
        class="nbe-range"
        aria-label={label}
        aria-valuetext={text}
        aria-description={description}
        disabled={!enabled}
        min={log ? 0 : low}
        max={log ? 1 : high}
        step={log ? 1 / LOG_STEPS : step || "any"}
        value={position}
        style={{ "--nbe-filled": `${100 * Math.min(1, Math.max(0, filled))}%` }}
        onInput={(e) => set(at(e.currentTarget.valueAsNumber))}
        onDblClick={reset}
        onKeyDown={(e) => {
          if (e.key !== "Delete" && e.key !== "Backspace") return;
          e.preventDefault();
          reset();
        }}
      />
      {/* Its room stays, so that nothing moves when labels or links enable the slider. */}
      {lacked.current && <p class="nbe-why" style={{ visibility: enabled ? "hidden" : "visible" }} aria-hidden={enabled}>{lacked.current}</p>}
    </div>
  );
}

/** What a parameter is, in a few words: what its description says before it says more. */
function gist(description: string): string {
  const [first] = description.split(/[:;,.]/);
  return first.charAt(0).toLowerCase() + first.slice(1);
}

/** Three significant figures, so that the value sent from a logarithmic slider is the value shown. */
function tidy(value: number): number {
  return Number(value.toPrecision(3));
}

function format(value: number, step: number): string {
  const digits = step > 0 && step < 1 ? Math.min(4, Math.ceil(-Math.log10(step) - 1e-9)) : step >= 1 ? 0 : 3;
  return value.toFixed(digits);
}

/** The note on the data that are embedded and their preparation. */
export function DataNote({ view }: { view: View }) {
  const note = inline(view.store.traits.data_note.value, 600);
  return note ? <p class="nbe-why nbe-note" title={note} dir="auto">{note}</p> : null;
}
