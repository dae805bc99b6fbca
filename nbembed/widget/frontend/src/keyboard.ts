/**
 * Keys, while the widget has the focus. One table serves the handler and the help that the
 * person reads. Fields keep their own keys: a slider its arrows, a text field every letter.
 */
import type { View } from "./view";

/** Pixels that the key cursor moves. */
const STRIDE = 8;
const LEAP = 40;

export const KEYS: [string, string][] = [
  ["Space", "play or pause"],
  ["S", "one step"],
  ["L / P", "lasso / pan"],
  ["F", "fit the view"],
  ["+ / −", "zoom"],
  ["← ↑ → ↓", "move a cursor on the map; with Shift in leaps"],
  ["Space", "while the cursor is shown: pick or drop a point"],
  ["Ctrl A", "select all"],
  ["Esc", "hide the cursor, then clear the selection"],
  ["1 – 9", "choose a class"],
  ["Enter", "label the selection"],
  ["H", "hold the selection where it is (pin), or let it go"],
  ["A", "keep the selection apart from another: once for either side"],
  ["F2", "rename the chosen class"],
  ["Ctrl Z", "undo; with Shift redo"],
  ["?", "this help"],
];

export const MOUSE: [string, string][] = [
  ["Drag", "pan, or draw a lasso with the lasso tool"],
  ["Shift + lasso", "add to the selection"],
  ["Alt + lasso", "take from the selection"],
  ["Shift + click", "add or remove one point"],
  ["Wheel", "zoom, once the map has been clicked"],
];

type Field = "text" | "range" | "choice" | "button" | "none";

function field(target: EventTarget | null): Field {
  if (target instanceof HTMLInputElement) {
    if (target.type === "range") return "range";
    return target.type === "radio" ? "choice" : "text";
  }
  if (target instanceof HTMLSelectElement || target instanceof HTMLTextAreaElement) return "text";
  if (target instanceof HTMLButtonElement) return "button";
  // Composite widgets of our own (the path strip) move by arrows as a slider does.
  if (target instanceof HTMLElement && target.getAttribute("role") === "slider") return "range";
  return "none";
}

/** Handle a key press; true when it was ours. */
export function handleKey(view: View, event: KeyboardEvent): boolean {
  const where = field(event.target);
  if (where === "text" || event.defaultPrevented) return false;
  const map = view.map.peek();
  const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
  if (event.ctrlKey || event.metaKey) {
    if (event.altKey) return false;
    if (key === "z") return done(() => (event.shiftKey ? view.redo() : view.undo()));
    if (key === "y") return done(() => view.redo());
    if (key === "a") return done(() => view.selectAll());
    return false;
  }
  if (event.altKey) return false;
  if (key.startsWith("Arrow")) {
    if (where !== "none" || !map) return false;
    const by = event.shiftKey ? LEAP : STRIDE;
    const dx = key === "ArrowRight" ? by : key === "ArrowLeft" ? -by : 0;
    const dy = key === "ArrowDown" ? by : key === "ArrowUp" ? -by : 0;
    const point = map.moveCursor(dx, dy);
    if (point >= 0) view.say(describePoint(view, point));
    return true;
  }
  if (key === " ") {
    if (where === "button" || where === "choice") return false;
    if (where === "none" && map?.cursorShown) {
      const point = map.cursorPoint();
      if (point >= 0) view.select(Uint32Array.of(point), "toggle");
      else view.say("No point near the cursor");
      return true;
    }
    return done(() => view.togglePlay());
  }
  if (key === "Enter") {
    if (where === "button") return false;
    return done(() => view.labelSelection());
  }
  if (key === "Escape") {
    if (view.helpOpen.peek()) return done(() => (view.helpOpen.value = false));
    if (map?.cursorShown) return done(() => map.hideCursor());
    if (view.apart.peek()) return done(() => view.cancelApart());
    return done(() => view.clearSelection());
  }
  if (key === "F2") return done(() => (view.renaming.value = view.chosenClass.peek()));
  if (/^[1-9]$/.test(key)) return done(() => view.chooseClass(Number(key) - 1));
  switch (key) {
    case "s": return done(() => view.step());
    case "l": return done(() => view.choose("lasso"));
    case "p": return done(() => view.choose("pan"));
    case "h": return done(() => view.pin());
    case "a": return done(() => view.keepApart());
    case "f": return done(() => map?.fitView());
    case "+": case "=": return done(() => map?.zoomBy(1.3));
    case "-": case "−": return done(() => map?.zoomBy(1 / 1.3));
    case "?": return done(() => (view.helpOpen.value = !view.helpOpen.peek()));
    default: return false;
  }
}

function done(action: () => void): true {
  action();
  return true;
}

export function describePoint(view: View, index: number): string {
  const { labels, classes, column } = view.store;
  const parts = [`Point ${index}`];
  const label = classes.peek()[labels.peek()[index]];
  if (label) parts.push(`labelled ${label.name}`);
  if (view.store.pinned.peek().includes(index)) parts.push("pinned");
  const { kind, title, values, names } = column.peek();
  if (kind === "category" && values[index] >= 0) parts.push(`${title || "value"} ${names[values[index]]}`);
  if (kind === "number" && !Number.isNaN(values[index])) parts.push(`${title || "value"} ${values[index].toPrecision(4)}`);
  return parts.join(", ");
}
