/**
 * Names a selection as fast as it is drawn: what is typed after a lasso is the class of its points.
 * The field is open where the selection is; `panels/naming.tsx` shows it.
 */
import { computed, effect, signal, type ReadonlySignal } from "@preact/signals";
import type { PointMap } from "../map/map";
import { same } from "../state/pick";
import type { Store } from "../state/store";
import type { ClassInfo } from "../wire/wire.generated";
import * as strings from "../strings";

/** What a name is typed for: the class of the selection, of the point asked for, or of what is labeled next. */
type Purpose = "selection" | "question" | "next";

/** A class that the typed text may stand for; `index` is −1 for a new one. `place` is that in lists. */
export interface Choice {
  name: string;
  index: number;
  place: number;
}

/** The classes in the order of their places. */
export function inOrder(classes: readonly ClassInfo[]): Choice[] {
  return classes.map(({ name, place }, index) => ({ name, index, place })).sort((a, b) => a.place - b.place);
}

/** Whether all classes are named by single digits: then their keys are their names, and not their places. */
export const areDigits = (classes: readonly ClassInfo[]): boolean => classes.length > 0 && classes.every(({ name }) => /^\d$/.test(name));

/** The number key of a class, "" if it has none. */
export function keyOfClass({ name, place }: ClassInfo, classes: readonly ClassInfo[]): string {
  return areDigits(classes) ? name : place < 9 ? String(place + 1) : "";
}

/** The class of a number key, −1 if none has it. */
export function classOfKey(key: string, classes: readonly ClassInfo[]): number {
  return classes.findIndex((info) => keyOfClass(info, classes) === key);
}

/** What naming needs of its view. */
export interface Host {
  say: (message: string) => void;
  able: () => boolean;
  map: () => PointMap | null;
  /** The name of the chosen class, "" if none is. */
  chosen: ReadonlySignal<string>;
  /** Whether a point is asked for. */
  asking: () => boolean;
  name: (purpose: Purpose, name: string) => void;
}

/** Classes that are listed. */
const LISTED = 60;
/** Selected points whose places decide where the field opens. */
const MOST_PLACES = 2000;
/** Pixels between the selection and the field, and the room that a field with some classes takes. */
const GAP = 10;
const ROOM = { width: 204, height: 208 };

const fold = (text: string): string => text.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase();
const isNumber = (text: string): boolean => /^\d+$/.test(text);

/**
 * Classes that a text may stand for, the best first: the class of that name, of that number, those
 * that begin with it, a new class, and last those that have a later word that begins with it. In a
 * number every digit counts: "1" is not the beginning of "10". Where classes have numbers for names,
 * a number is a name. Without text all are listed.
 */
function choicesFor(text: string, classes: readonly ClassInfo[], chosen: string): Choice[] {
  const all = inOrder(classes);
  const typed = text.trim();
  if (!typed) {
    // The chosen class is what Enter takes then: it is listed even if it is one of many, or still being made.
    const listed = all.slice(0, LISTED);
    if (!chosen || listed.some(({ name }) => name === chosen)) return listed;
    return [all.find(({ name }) => name === chosen) ?? { name: chosen, index: -1, place: -1 }, ...listed.slice(0, LISTED - 1)];
  }
  const wanted = fold(typed);
  const exact = all.filter(({ name }) => name === typed);
  const equal = all.filter(({ name }) => name !== typed && fold(name) === wanted);
  const numbered = isNumber(typed) && !all.some(({ name }) => isNumber(name)) ? all.slice(Number(typed) - 1, Number(typed)) : [];
  const rest = isNumber(typed) ? [] : all.filter(({ name }) => fold(name) !== wanted);
  const first = rest.filter(({ name }) => fold(name).startsWith(wanted));
  const later = rest.filter(({ name }) => !fold(name).startsWith(wanted) && fold(name).split(/[\s_\-/.]+/).some((word) => word.startsWith(wanted)));
  const fresh = exact.length ? [] : [{ name: typed, index: -1, place: -1 }];
  return [...exact, ...equal, ...numbered, ...first, ...fresh, ...later].slice(0, LISTED);
}

interface Labeled {
  points: Uint32Array;
  name: string;
}

/** Whether what undo or redo would do is about that label, as the kernel words it. */
const isOf = (text: string, label: Labeled | null): label is Labeled => {
  if (label === null) return false;
  const n = label.points.length;
  return text === `label ${n === 1 ? "1 point" : `${n} points`} as ${label.name}`;
};

export class Naming {
  readonly purpose = signal<Purpose | null>(null);
  readonly text = signal("");
  /** The place of the choice that Enter takes: where the arrow keys went, else the best; without text the chosen class. */
  readonly active: ReadonlySignal<number>;
  /** Left and top of the field on the map, in pixels. */
  readonly place = signal<[number, number]>([0, 0]);
  /** Whether the field takes the focus when it opens; a finger should not raise a keyboard with each lasso. */
  readonly eager = signal(true);
  readonly choices: ReadonlySignal<Choice[]>;
  /** The name of the choice that the arrow keys went to, "" before they do; places change as classes come and go. */
  private readonly picked = signal("");
  /** The points labeled last, and those whose label was undone last. */
  private labeled: Labeled | null = null;
  private undone: Labeled | null = null;
  private readonly offs: (() => void)[];

  constructor(
    private readonly store: Store,
    private readonly host: Host,
  ) {
    this.choices = computed(() => choicesFor(this.text.value, store.traits.classes.value, host.chosen.value));
    this.active = computed(() => {
      const at = (wanted: string): number => this.choices.value.findIndex(({ name }) => name === wanted);
      const picked = at(this.picked.value);
      return picked >= 0 || this.text.value.trim() ? Math.max(0, picked) : Math.max(0, at(host.chosen.value));
    });
    this.offs = [
      effect(() => {
        if (!store.traits.selection.value.length && this.purpose.peek() === "selection") this.close();
      }),
    ];
  }

  destroy(): void {
    for (const off of this.offs) off();
  }

  /** Open the field for what can be named now: the point asked for, the selection, else the next labels. */
  begin(eager = true): void {
    if (!this.host.able()) return;
    const selected = this.store.traits.selection.peek();
    const purpose = this.host.asking() ? "question" : selected.length ? "selection" : "next";
    this.place.value = this.room(purpose === "selection" ? selected : new Uint32Array(0));
    this.eager.value = eager;
    if (this.purpose.peek() !== purpose) this.text.value = "";
    if (!this.text.peek()) this.type("");
    this.purpose.value = purpose;
  }

  /** The text has changed. */
  type(text: string): void {
    this.text.value = text;
    this.picked.value = "";
  }

  /** Go to the next choice, or the one before. */
  move(by: 1 | -1): void {
    const choices = this.choices.peek();
    const count = choices.length;
    if (count) this.picked.value = choices[(this.active.peek() + by + count) % count].name;
  }

  /** Take a choice, by default the active one; `fresh` takes the text as it is. */
  accept(fresh = false, at = this.active.peek()): void {
    const purpose = this.purpose.peek();
    const typed = this.text.peek().trim();
    const name = fresh ? typed : this.choices.peek()[at]?.name;
    if (!purpose) return;
    if (!name) {
      this.host.say(strings.typeClassName);
      return;
    }
    this.close();
    this.host.name(purpose, name);
  }

  close(): void {
    this.purpose.value = null;
    this.text.value = "";
  }

  /** Something else was labeled: an undo is no longer about the points labeled before. */
  forget(): void {
    this.labeled = this.undone = null;
  }

  /** Points were labeled and are selected no more. */
  used(points: Uint32Array, name: string): void {
    this.labeled = { points, name };
    this.undone = null;
  }

  /** The points that are to be selected again if what `text` says is undone: those just labeled; else none. */
  undoing(text: string): Uint32Array | null {
    this.undone = isOf(text, this.labeled) ? this.labeled : null;
    this.labeled = null;
    return this.undone?.points ?? null;
  }

  /** Whether what `text` says labels the selected points again. */
  redoing(text: string): boolean {
    const selected = this.store.traits.selection.peek();
    const again = isOf(text, this.undone) && same(this.undone.points, selected);
    this.labeled = again ? this.undone : null;
    this.undone = null;
    return again;
  }

  /** Where the field goes: beside the points if there is room, always inside the map. */
  private room(points: Uint32Array): [number, number] {
    const map = this.host.map();
    if (!map) return [0, 0];
    const { clientWidth: width, clientHeight: height } = map.element;
    let [left, right, top, bottom] = [Infinity, -Infinity, Infinity, -Infinity];
    const stride = Math.max(1, Math.floor(points.length / MOST_PLACES));
    for (let k = 0; k < points.length; k += stride) {
      const [x, y] = map.where(points[k]);
      if (!(x >= 0 && y >= 0 && x <= width && y <= height)) continue;
      [left, right, top, bottom] = [Math.min(left, x), Math.max(right, x), Math.min(top, y), Math.max(bottom, y)];
    }
    const inside = (x: number, y: number): [number, number] => [
      Math.max(4, Math.min(x, width - ROOM.width - 4)),
      Math.max(4, Math.min(y, height - ROOM.height - 4)),
    ];
    if (!(right >= left)) return inside((width - ROOM.width) / 2, 12);
    const [x, y] = [(left + right - ROOM.width) / 2, (top + bottom) / 2 - 20];
    if (right + GAP + ROOM.width <= width - 4) return inside(right + GAP, y);
    if (left - GAP - ROOM.width >= 4) return inside(left - GAP - ROOM.width, y);
    if (bottom + GAP + ROOM.height <= height - 4) return inside(x, bottom + GAP);
    return inside(x, top - GAP - ROOM.height);
  }
}
