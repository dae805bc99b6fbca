/**
 * Keys, while the widget has the focus. One table serves the handler, the help dialog and, by a test,
 * the table in docs/guide/keys.md. Fields keep their own keys: a slider its arrows, a text field every
 * letter.
 */
import { inline } from "../state/cards";
import { columnText, spanOf } from "../state/column_text";
import { classOfKey } from "./naming";
import type { View } from "./view";
import * as strings from "../strings";

/** What kind of element has the focus. */
type Field = "range" | "choice" | "button" | "name" | "none";

interface KeyBinding {
  /** The keys and what they do, for the person. */
  label: string;
  help: string;
  /** The keys as `chordOf` writes them. */
  chords: readonly string[];
  /** Fields that keep these keys for themselves. */
  except?: readonly Field[];
  /** Whether the binding applies now; by default it always does. */
  when?: (view: View) => boolean;
  run: (view: View, event: KeyboardEvent) => void;
  /** Whether it counts while a map of some points is open, and then alone. */
  away?: boolean;
}

/** Pixels that the cursor moves, and with Shift. */
const STEP = 8;
const LEAP = 40;
const ZOOM = 1.3;
const ARROWS: Record<string, readonly [number, number]> = {
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
  ArrowUp: [0, -1],
  ArrowDown: [0, 1],
};

/** The first binding that matches a key press counts. */
export const KEYS: readonly KeyBinding[] = [
  {
    label: "1 – 9",
    help: strings.keyAnswerByNumber,
    chords: ["1", "2", "3", "4", "5", "6", "7", "8", "9"],
    when: (view) => view.questions.asking,
    run: answerByKey,
  },
  {
    label: strings.enter,
    help: strings.keyAnswerChosen,
    chords: ["Enter"],
    except: ["button"],
    when: (view) => view.questions.asking,
    run: answerWithChosen,
  },
  {
    label: "0",
    help: strings.keyAnswerSkip,
    chords: ["0"],
    when: (view) => view.questions.asking,
    run: (view, event) => (classFor(view, event) < 0 ? view.questions.step(1) : answerByKey(view, event)),
  },
  { label: "G", help: strings.keySuggestGroups, chords: ["g"], when: (view) => !view.walk.walking, run: (view) => view.walk.start() },
  { label: strings.enter, help: strings.keyGroupAccept, chords: ["Enter"], except: ["button"], when: (view) => view.walk.walking, run: (view) => view.walk.accept() },
  { label: "S", help: strings.keyGroupSplit, chords: ["s"], when: (view) => view.walk.walking, run: (view) => view.walk.split() },
  { label: "M", help: strings.keyGroupMerge, chords: ["m"], when: (view) => view.walk.walking, run: (view) => view.walk.merge() },
  { label: "N", help: strings.keyGroupNone, chords: ["n"], when: (view) => view.walk.walking, run: (view) => view.walk.skip() },
  { label: "T", help: strings.keyGroupEdit, chords: ["t"], when: (view) => view.walk.walking, run: (view) => view.walk.focus.value++ },
  { label: "N", help: strings.keyNextDoubtful, chords: ["n"], run: (view, event) => view.questions.step(event.shiftKey ? -1 : 1) },
  { label: "Y", help: strings.keyAccept, chords: ["y"], run: (view) => view.questions.accept() },
  { label: "C", help: strings.keyCheck, chords: ["c"], run: (view) => view.questions.check() },
  {
    label: strings.space,
    help: strings.keyCursorSelect,
    chords: [" "],
    except: ["button", "choice", "range"],
    when: (view) => view.map.peek()?.cursorShown ?? false,
    run: selectAtCursor,
  },
  { label: strings.space, help: strings.keyPlay, chords: [" "], except: ["button", "choice"], run: (view) => view.togglePlay() },
  { label: "S", help: strings.keyStep, chords: ["s"], run: (view) => view.step() },
  { label: "L", help: strings.keyLasso, chords: ["l"], run: (view) => view.choose("lasso") },
  { label: "B", help: strings.keyBox, chords: ["b"], run: (view) => view.choose("box") },
  { label: "R", help: strings.keyBrush, chords: ["r"], run: (view) => view.choose("brush") },
  { label: "P", help: strings.keyPan, chords: ["p"], run: (view) => view.choose("pan") },
  { label: "F", help: strings.keyFit, chords: ["f"], run: (view) => view.map.peek()?.fitView() },
  { label: "+", help: strings.keyZoomIn, chords: ["+", "="], run: (view) => view.map.peek()?.zoomBy(ZOOM) },
  { label: "−", help: strings.keyZoomOut, chords: ["-", "−"], run: (view) => view.map.peek()?.zoomBy(1 / ZOOM) },
  {
    label: "← ↑ → ↓",
    help: strings.keyCursor,
    chords: Object.keys(ARROWS),
    except: ["range", "choice", "button"],
    when: (view) => view.map.peek() !== null,
    run: moveCursor,
  },
  {
    label: "I",
    help: strings.keyCard,
    chords: ["i"],
    when: (view) => view.map.peek() !== null,
    run: toggleCard,
  },
  { label: "O", help: strings.keySidebar, chords: ["o"], run: (view) => view.togglePanel() },
  { label: "/", help: strings.keySearch, chords: ["/"], run: (view) => view.openFind() },
  { label: strings.ctrlA, help: strings.keySelectAll, chords: ["Ctrl a"], run: (view) => view.selectAll() },
  {
    label: strings.esc,
    help: strings.keyEscape,
    chords: ["Escape"],
    run: escape,
  },
  {
    label: "1 – 9",
    help: strings.keyChooseClass,
    chords: ["0", "1", "2", "3", "4", "5", "6", "7", "8", "9"],
    run: (view, event) => view.chooseClass(classFor(view, event)),
  },
  {
    label: "T",
    help: strings.keyTypeClass,
    chords: ["t"],
    run: (view) => view.naming.begin(),
  },
  { label: strings.enter, help: strings.keyLabel, chords: ["Enter"], except: ["button"], run: (view) => view.labelSelection() },
  { label: "H", help: strings.keyPin, chords: ["h"], run: (view) => view.links.pin() },
  { label: "A", help: strings.keyKeepApart, chords: ["a"], run: (view) => view.links.keepApart() },
  { label: "M", help: strings.keyMapOfThese, chords: ["m"], when: (view) => view.childMaps.possible, run: (view) => void view.childMaps.make() },
  {
    label: strings.backspace,
    help: strings.keyBackToAll,
    chords: ["Backspace"],
    except: ["name"],
    away: true,
    run: (view) => view.childMaps.leave(),
  },
  { label: "F2", help: strings.keyRename, chords: ["F2"], run: (view) => (view.classEdits.renaming.value = view.chosenName.peek() || null) },
  {
    label: strings.ctrlZ,
    help: strings.keyUndo,
    chords: ["Ctrl z"],
    run: (view, event) => (event.shiftKey ? view.redo() : view.undo()),
  },
  { label: strings.ctrlY, help: strings.keyRedo, chords: ["Ctrl y"], run: (view) => view.redo() },
  { label: "?", help: strings.keyHelp, chords: ["?"], run: (view) => view.showHelp(!view.helpOpen.peek()) },
];

export const MOUSE: readonly { label: string; help: string }[] = [
  { label: strings.lassoNameEnter, help: strings.mouseLabel },
  { label: strings.drag, help: strings.mouseDrag },
  { label: strings.shiftDrag, help: strings.mouseAdd },
  { label: strings.altDrag, help: strings.mouseRemove },
  { label: strings.shiftAltDrag, help: strings.mouseKeep },
  { label: strings.click, help: strings.mouseCard },
  { label: strings.shiftClick, help: strings.mouseToggle },
  { label: strings.wheel, help: strings.mouseZoom },
  { label: strings.twoFingers, help: strings.touchPan },
  { label: strings.longPressThenDrag, help: strings.touchAdd },
];

/** Handle a key press; true when it was ours. */
export function handleKey(view: View, event: KeyboardEvent): boolean {
  const field = fieldOf(event.target);
  const chord = chordOf(event);
  if (field === null || chord === null || event.defaultPrevented || event.isComposing) return false;
  // An empty field for a class leaves what is no beginning of a name to the map.
  if (field === "name" && chord !== " " && !chord.startsWith("Ctrl ")) return false;
  const binding = KEYS.find(
    ({ chords, except, when, away = false }) => chords.includes(chord) && !except?.includes(field) && away === (view.childMaps.open.peek() !== "") && (when?.(view) ?? true),
  );
  binding?.run(view, event);
  return binding !== undefined;
}

/** A key press as text: "Ctrl z" or "s"; Shift is left to the bindings. Null with Alt and AltGr. */
function chordOf(event: KeyboardEvent): string | null {
  if (event.altKey || event.getModifierState("AltGraph")) return null;
  const key = keyOf(event);
  return event.ctrlKey || event.metaKey ? `Ctrl ${key}` : key;
}

/**
 * What a key stands for on any keyboard: its character, but the Latin letter of its place where it has
 * another alphabet's, and its digit where the upper row has digits only with Shift, as in French.
 */
function keyOf({ key, code, shiftKey }: KeyboardEvent): string {
  if (key.length !== 1) return key;
  const digit = /^Digit(\d)$/.exec(code)?.[1];
  if (digit && !shiftKey && !"+-=".includes(key)) return digit;
  const letter = /^Key([A-Z])$/.exec(code)?.[1];
  if (letter && key > "\x7f") return letter.toLowerCase();
  return key.toLowerCase();
}

/** The kind of a field; null for one that keeps every key. */
function fieldOf(target: EventTarget | null): Field | null {
  if (target instanceof HTMLInputElement) {
    if (target.dataset["empty"] === "true") return "name";
    if (target.type === "range") return "range";
    return target.type === "radio" || target.type === "checkbox" ? "choice" : null;
  }
  if (target instanceof HTMLSelectElement || target instanceof HTMLTextAreaElement) return null;
  if (target instanceof HTMLButtonElement) return "button";
  // The path strip, a composite widget of our own, moves by arrows as a slider does.
  if (target instanceof HTMLElement && target.getAttribute("role") === "slider") return "range";
  return "none";
}

/** The class of a number key, −1 if there is none. */
function classFor(view: View, event: KeyboardEvent): number {
  return classOfKey(keyOf(event), view.store.traits.classes.peek());
}

function answerByKey(view: View, event: KeyboardEvent): void {
  view.questions.answer(classFor(view, event), keyOf(event));
}

function answerWithChosen(view: View): void {
  const name = view.chosenName.peek();
  if (name) view.questions.answerAs(name);
  else view.say(strings.thereIsNoClassYet);
}

function selectAtCursor(view: View): void {
  const point = view.map.peek()?.cursorPoint() ?? -1;
  if (point >= 0) view.select(Uint32Array.of(point), "toggle");
  else view.say(strings.noPointNearTheCursor);
}

function toggleCard(view: View): void {
  const map = view.map.peek();
  const point = map?.cursorShown ? map.cursorPoint() : map?.hover.peek()?.index ?? -1;
  if (point >= 0) view.toggleCard(point);
  else view.say(strings.noPointNearTheCursorOrPointer);
}

function moveCursor(view: View, event: KeyboardEvent): void {
  const [x, y] = ARROWS[event.key];
  const by = event.shiftKey ? LEAP : STEP;
  const point = view.map.peek()?.moveCursor(x * by, y * by) ?? -1;
  if (point >= 0) view.say(describePoint(view, point));
}

function escape(view: View): void {
  const map = view.map.peek();
  if (map?.cancelDrawing()) view.say(strings.canceled);
  else if (view.helpOpen.peek()) view.showHelp(false);
  else if (view.tour.peek()) view.tour.value = false;
  else if (view.naming.purpose.peek()) view.naming.close();
  else if (view.questions.asking) view.questions.leave();
  else if (view.walk.walking) view.walk.stop();
  else if (map?.cursorShown) map.hideCursor();
  else if (view.links.apart.peek()) view.links.cancelApart();
  else if (view.store.traits.cards.peek().length) view.closeCards();
  else view.clearSelection();
}

function describePoint(view: View, index: number): string {
  const { label_codes: labels, classes, color_column: column, color_values: values, pinned } = view.store.traits;
  const name = inline(view.store.cards.name(index) ?? "");
  const parts = [name ? strings.pointValue(name, index) : strings.pointIndex(index)];
  const label = classes.peek()[labels.peek()[index]];
  if (label) parts.push(strings.labeledLabel(label.name));
  if (pinned.peek().includes(index)) parts.push(strings.pinned);
  const suggested = label || view.questions.hidden.peek().has(index) ? "" : view.questions.suggestedText(index);
  if (suggested) parts.push(strings.suggestedSuggested(suggested));
  const { kind, title, names } = column.peek();
  const value = values.peek()[index];
  if (kind === "category" && value >= 0) parts.push(`${title || strings.value} ${names[value]}`);
  if ((kind === "number" || kind === "time") && !Number.isNaN(value)) parts.push(`${title || strings.value} ${columnText(column.peek(), value, 4, spanOf(column.peek(), values.peek()))}`);
  return parts.join(", ");
}
