/**
 * Why points lie where they lie, as one view asks for it: the neighborhoods of a point, the forces on
 * it, a measure of each point to color by, and the map without labels. Nothing is asked while nobody
 * looks; of a map in motion, answers follow at a pace that leaves the kernel most of its time.
 */
import { computed, effect, signal, untracked, type ReadonlySignal } from "@preact/signals";
import { Answers } from "../wire/queries";
import type { Store } from "./store";
import { EXTREME, MEASURES, type ColorMode, type Measure, type QueryName, type Role } from "../wire/wire.generated";
import * as strings from "../strings";

/** An end of a measure, and what it means. */
export interface End {
  at: number;
  text: string;
}

/** What people read of each measure, and of the ends that it has. */
export const MEASURE_TEXTS: Record<Measure, { title: string; hint: string; low: End; high?: End }> = {
  trustworthiness: { title: strings.trustworthiness, hint: strings.trustworthinessHint, low: { at: 0, text: strings.lowInline }, high: { at: 1, text: strings.highInline } },
  continuity: { title: strings.continuity, hint: strings.continuityHint, low: { at: 0, text: strings.lowInline }, high: { at: 1, text: strings.highInline } },
  kept: { title: strings.neighborsKept, hint: strings.neighborsKeptHint, low: { at: 0, text: strings.none }, high: { at: 1, text: strings.allInline } },
  stress: { title: strings.stress, hint: strings.stressHint, low: { at: 0, text: strings.faithful } },
  pull: { title: strings.pullOfLabels, hint: strings.pullOfLabelsHint, low: { at: 0, text: strings.free } },
  stability: { title: strings.stability, hint: strings.stabilityHint, low: { at: 0, text: strings.chance }, high: { at: 1, text: strings.allInline } },
};

/** The measure that colors the points, or null. */
export function measureOf(mode: ColorMode): Measure | null {
  return (MEASURES as readonly string[]).includes(mode) ? (mode as Measure) : null;
}

/** A measure as the map shows it: values, and the range that the color scale spans. */
export interface ShownMeasure {
  name: Measure;
  values: Float32Array;
  mean: number | null;
  low: number;
  high: number;
}

/** The range of all but the most extreme values at either end, which would take the scale for themselves. */
function rangeOf(values: Float32Array): [number, number] {
  const sorted = values.filter((v) => !Number.isNaN(v)).sort();
  if (!sorted.length) return [0, 1];
  const last = sorted.length - 1;
  const [low, high] = [sorted[Math.floor(EXTREME * last)], sorted[Math.ceil((1 - EXTREME) * last)]];
  return high > low ? [low, high] : [sorted[0], sorted[last]];
}

/** Roles whose terms pull at points, in the order in which arrows are drawn. */
export const PULLING: readonly Role[] = ["attraction", "repulsion", "labels", "classes", "aid", "whole"];

export const SIZES = [5, 10, 20, 30] as const;
/** Milliseconds that the pointer rests on a point before anything is asked. */
const HOVER = 60;
/** Of a map in motion: least milliseconds between two answers, and the share of the time that they may take. */
const PACE = 250;
const SHARE = 8;
/** Milliseconds after which a new layout is asked about in any case: a busy kernel is no slow answer. */
const LONGEST = 3000;
/** Milliseconds between two looks at what is being made. */
const LOOK = 300;

/** Asks again and again, as long as somebody looks, at a pace that suits the time that an answer takes. */
class Followed<N extends QueryName> {
  readonly answers: Answers<N>;
  private askedAt = -Infinity;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private readonly off: () => void;
  private took = 0;

  constructor(
    store: Store,
    name: N,
    private readonly ask: (answers: Answers<N>) => void,
  ) {
    this.answers = new Answers(store.queries, name);
    this.off = this.answers.pending.subscribe((pending) => {
      if (!pending && this.askedAt > -Infinity) this.took = performance.now() - this.askedAt;
    });
  }

  /** Ask soon: at once if `urgent`, else when the pace allows it. */
  soon(urgent: boolean, wait = 0): void {
    const due = urgent ? wait : Math.max(wait, this.askedAt + Math.max(PACE, Math.min(SHARE * this.took, LONGEST)) - performance.now());
    if (this.timer !== undefined && !urgent) return;
    clearTimeout(this.timer);
    this.timer = setTimeout(() => {
      this.timer = undefined;
      if (this.answers.pending.peek() && !urgent) {
        this.soon(false);
        return;
      }
      this.askedAt = performance.now();
      this.ask(this.answers);
    }, Math.max(0, due));
  }

  stop(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
  }

  destroy(): void {
    this.stop();
    this.off();
    this.answers.clear();
  }
}

export class Why {
  /** Size of neighborhoods. */
  readonly k = signal(10);
  /** What is drawn while the panel is open. */
  readonly lines = signal(true);
  readonly arrows = signal(true);
  /** Whether the map without labels is shown. */
  readonly ghost: ReadonlySignal<boolean>;
  /** Whether the panel is open. */
  readonly open: ReadonlySignal<boolean>;
  /** The point that is explained: the last one under pointer or cursor, −1 before. */
  readonly point = signal(-1);
  readonly measure: ReadonlySignal<Measure | null>;
  /** What colors the points, once it has come. */
  readonly shown: ReadonlySignal<ShownMeasure | null>;
  readonly near: Answers<"neighborhood">;
  readonly forces: Answers<"forces">;
  readonly measured: Answers<"measure">;
  readonly unsupervised: Answers<"unsupervised">;
  /** Whether somebody has asked in how many other maps a group is together. */
  readonly recurring = signal(false);
  readonly recurrence: Answers<"recurrence">;
  private readonly follows: { recurrence: Followed<"recurrence">; near: Followed<"neighborhood">; forces: Followed<"forces">; measured: Followed<"measure">; unsupervised: Followed<"unsupervised"> };
  private readonly offs: (() => void)[];

  constructor(
    private readonly store: Store,
    tab: ReadonlySignal<string>,
    hovered: ReadonlySignal<number>,
    reveal: () => void,
  ) {
    this.ghost = store.traits.unsupervised_shown;
    this.open = computed(() => tab.value === "why");
    this.measure = computed(() => measureOf(store.traits.color_by.value));
    this.follows = {
      near: new Followed(store, "neighborhood", (answers) => this.point.peek() >= 0 && answers.ask({ point: this.point.peek(), k: this.size(this.k.peek()) }, [])),
      forces: new Followed(store, "forces", (answers) => this.point.peek() >= 0 && answers.ask({ point: this.point.peek() }, [])),
      measured: new Followed(store, "measure", (answers) => {
        const name = this.measure.peek();
        if (name) answers.ask({ measure: name, k: this.size(this.k.peek()) }, []);
      }),
      unsupervised: new Followed(store, "unsupervised", (answers) => answers.ask({ k: this.size(this.k.peek()) }, [])),
      recurrence: new Followed(store, "recurrence", (answers) => answers.ask({}, [store.traits.selection.peek()])),
    };
    const { near, forces, measured, unsupervised, recurrence } = this.follows;
    [this.near, this.forces, this.measured, this.unsupervised, this.recurrence] = [near.answers, forces.answers, measured.answers, unsupervised.answers, recurrence.answers];
    this.shown = computed(() => {
      const found = measured.answers.value.value;
      if (!found?.values.length || found.name !== this.measure.value) return null;
      const [low, high] = rangeOf(found.values);
      return { name: found.name, values: found.values, mean: found.mean, low, high };
    });
    this.offs = [
      // What is asked for in Python opens the panel once; afterwards the page goes its own way.
      effect(() => {
        const point = store.traits.explained.value;
        if (point < 0) return;
        this.point.value = point;
        untracked(reveal);
      }),
      effect(() => {
        if (this.ghost.value) untracked(reveal);
      }),
      // While the panel is open, the point under the pointer is explained, and stays so when it has left.
      effect(() => {
        if (this.open.value && hovered.value >= 0) this.point.value = hovered.value;
      }),
      effect(() => {
        const looked = this.open.value && this.point.value >= 0;
        void this.k.value;
        if (looked && this.lines.value) near.soon(true, HOVER);
        else near.stop();
      }),
      effect(() => {
        if (this.open.value && this.point.value >= 0) forces.soon(true, HOVER);
        else forces.stop();
      }),
      effect(() => {
        void this.k.value;
        if (this.measure.value) {
          measured.soon(true);
        } else {
          measured.stop();
          measured.answers.clear();
        }
      }),
      effect(() => {
        void this.k.value;
        if (this.open.value && this.ghost.value) {
          unsupervised.soon(true);
        } else {
          unsupervised.stop();
          unsupervised.answers.clear();
        }
      }),
      effect(() => {
        const { selection, n_samples: n } = store.traits;
        const size = selection.value.length;
        const wanted = tab.value === "group" && (this.recurring.value || this.measure.value === "stability") && size > 1 && size < n.value;
        recurrence.stop();
        recurrence.answers.clear();
        if (wanted) recurrence.soon(true);
      }),
      // A new layout, or the end of the motion, makes answers old.
      effect(() => {
        void [store.layout.value, store.traits.state.value];
        this.older();
      }),
      effect(() => {
        const found = measured.answers.value.value;
        if (found && !found.ready) measured.soon(false, LOOK);
      }),
      effect(() => {
        const found = unsupervised.answers.value.value;
        if (found && !found.ready) unsupervised.soon(false, LOOK);
      }),
      effect(() => {
        const found = recurrence.answers.value.value;
        if (found && !found.ready) recurrence.soon(false, LOOK);
      }),
    ];
  }

  destroy(): void {
    for (const off of this.offs) off();
    for (const followed of Object.values(this.follows)) followed.destroy();
  }

  showGhost(shown: boolean): void {
    this.store.showUnsupervised(shown);
  }

  /** Hide the map without labels, and stop making it if it is not there yet. */
  cancelGhost(): void {
    this.showGhost(false);
    void this.store.commands.send("cancel", { what: "unsupervised" }, []);
  }

  /** The size of a neighborhood that so many points allow. */
  size(k: number): number {
    return Math.max(1, Math.min(k, Math.ceil(this.store.traits.n_samples.peek() / 2) - 1));
  }

  private older(): void {
    const { near, forces, measured, unsupervised, recurrence } = this.follows;
    if (recurrence.answers.value.peek()) recurrence.soon(false);
    if (this.open.peek() && this.point.peek() >= 0) {
      if (this.lines.peek()) near.soon(false);
      forces.soon(false);
    }
    if (this.measure.peek()) measured.soon(false);
    if (this.open.peek() && this.ghost.peek()) unsupervised.soon(false);
  }
}
