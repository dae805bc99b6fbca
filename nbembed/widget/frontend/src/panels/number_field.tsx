/** A number beside its slider: shown, typed, and stepped with the arrow keys. */
import { useSignal } from "@preact/signals";
import { useRef } from "preact/hooks";

interface Props {
  label: string;
  /** The value as it is shown; "" for none. */
  text: string;
  disabled?: boolean;
  hint: string;
  /** How the field is known to a view that goes on where another one was. */
  control?: string;
  /** Take a typed number; what is legal is for the kernel to say. */
  onValue: (value: number) => void;
  /** Go a step up or down. */
  onStep: (by: 1 | -1) => void;
}

/** A number as people write it, with a point or a comma; NaN for anything else. */
function parseNumber(text: string): number {
  const plain = text.trim().replace(/−/g, "-").replace(",", ".");
  return plain === "" ? NaN : Number(plain);
}

export function NumberField({ label, text, disabled = false, hint, control, onValue, onStep }: Props) {
  const input = useRef<HTMLInputElement>(null);
  /** What is being typed; null while the value is only shown. */
  const typed = useSignal<string | null>(null);
  const take = (): void => {
    const value = typed.peek() === null ? NaN : parseNumber(typed.peek()!);
    typed.value = null;
    if (Number.isFinite(value)) onValue(value);
  };
  const keys = (event: KeyboardEvent): void => {
    if (event.isComposing) return;
    if (event.key === "Enter") {
      take();
      input.current?.select();
    } else if (event.key === "Escape" && typed.peek() !== null) typed.value = null;
    else if (event.key === "ArrowUp" || event.key === "ArrowDown") {
      typed.value = null;
      onStep(event.key === "ArrowUp" ? 1 : -1);
    } else return;
    event.preventDefault();
  };
  return (
    <input
      ref={input} class="nbe-value nbe-value-field" type="text" inputMode="decimal" autocomplete="off" maxLength={24}
      data-control={control} aria-label={label} title={hint} disabled={disabled} value={typed.value ?? text}
      data-bad={typed.value !== null && !Number.isFinite(parseNumber(typed.value))}
      onFocus={(e) => e.currentTarget.select()}
      onInput={(e) => (typed.value = e.currentTarget.value)}
      onKeyDown={keys} onBlur={take}
    />
  );
}
