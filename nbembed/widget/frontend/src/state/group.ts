/**
 * What is this group? Asks what distinguishes the selection from the rest, from a class, or from a
 * group that was kept, while somebody looks.
 */
import { computed, effect, signal, untracked, type ReadonlySignal } from "@preact/signals";
import { same } from "./pick";
import { Answers } from "../wire/queries";
import { Rows } from "./rows";
import type { Store } from "./store";

/** What the selection is compared with: all other points, the group that was kept, or a class. */
export type Against = "rest" | "kept" | number;

/** What a group needs of its view. */
interface GroupHost {
  say: (message: string) => void;
  select: (points: Uint32Array) => void;
}

const NONE = new Uint32Array(0);

export class Group {
  readonly description: Answers<"describe">;
  readonly rows: Rows;
  /** The labels as data. */
  readonly labels: Rows;
  /** A group that was kept to compare others with. */
  readonly kept = signal<Uint32Array>(NONE);
  /** What is compared with now: what was chosen, as long as there is any. */
  readonly against: ReadonlySignal<Against>;
  /** The classes that have points, by index. */
  readonly classes: ReadonlySignal<number[]>;
  /** The kept group, while it is compared with. */
  readonly marked = computed(() => (this.against.value === "kept" ? this.kept.value : null));
  private readonly chosen = signal<Against>("rest");
  /** The points to compare with, none for all others. */
  private readonly others: ReadonlySignal<Uint32Array>;
  private readonly store: Store;

  constructor(
    store: Store,
    private readonly host: GroupHost,
  ) {
    this.store = store;
    this.description = new Answers(store.queries, "describe");
    this.rows = new Rows(store, "data", (points) => host.select(points));
    this.labels = new Rows(store, "labels", (points) => host.select(points));
    const { classes, label_codes: labels } = store.traits;
    this.classes = computed(() => {
      const used = new Set(labels.value);
      return classes.value.map((_, k) => k).filter((k) => used.has(k));
    });
    this.against = computed(() => {
      const chosen = this.chosen.value;
      const there = chosen === "kept" ? this.kept.value.length > 0 : chosen === "rest" || this.classes.value.includes(chosen);
      return there ? chosen : "rest";
    });
    this.others = computed(() => {
      const against = this.against.value;
      if (against === "rest") return NONE;
      return against === "kept" ? this.kept.value : pointsOf(labels.value, against);
    });
  }

  /** Describe the selection, and again when it or a label changes, until the returned function is called. */
  watch(): () => void {
    const { selection, label_codes: labels, classes } = this.store.traits;
    return effect(() => {
      const points = selection.value;
      const others = this.others.value;
      void [labels.value, classes.value];
      const empty = !points.length || this.isKept(points) || this.isAll(points);
      untracked(() => (empty ? this.description.clear() : this.description.ask({}, [points, others])));
    });
  }

  compareWith(against: Against): void {
    this.chosen.value = against;
  }

  /** Keep the selection: what is selected next is compared with it. */
  keep(): void {
    const points = this.store.traits.selection.peek();
    if (!points.length) {
      this.host.say("Select a group first");
      return;
    }
    this.kept.value = points;
    this.chosen.value = "kept";
    this.host.say(`${count(points.length)} kept. Now select the points to compare with them`);
  }

  /** Select the group that was kept, and keep the one that was selected. */
  swap(): void {
    const [points, kept] = [this.store.traits.selection.peek(), this.kept.peek()];
    if (!points.length || !kept.length) return;
    this.kept.value = points;
    this.host.select(kept);
  }

  /** Compare with the rest again. */
  release(): void {
    this.kept.value = NONE;
    this.chosen.value = "rest";
    this.host.say("Compared with the rest again");
  }

  /** Whether these points leave no rest to be compared with. */
  isAll(points: Uint32Array): boolean {
    return this.against.value === "rest" && points.length === this.store.traits.n_samples.value;
  }

  /** Whether these points are the very group that is compared with. */
  isKept(points: Uint32Array): boolean {
    return this.against.value === "kept" && same(points, this.kept.value);
  }
}

/** A number of points, or of other things, as text. */
export function count(n: number, what = "point"): string {
  return `${n.toLocaleString("en")} ${what}${n === 1 ? "" : "s"}`;
}

function pointsOf(labels: Int32Array, index: number): Uint32Array {
  const found = new Uint32Array(labels.length);
  let n = 0;
  for (let i = 0; i < labels.length; i++) if (labels[i] === index) found[n++] = i;
  return found.slice(0, n);
}
