/**
 * What is this group? Asks what distinguishes the selection from the rest, from a class, or from a
 * group that was kept, while somebody looks.
 */
import { computed, effect, signal, untracked, type ReadonlySignal } from "@preact/signals";
import { copyText, saveAs } from "./labels_file";
import { same } from "./pick";
import { Answers } from "../wire/queries";
import { Rows } from "./rows";
import type { Store } from "./store";
import type { FindFilter, GroupSort } from "../wire/wire.generated";
import * as strings from "../strings";

/** What the selection is compared with: all other points, the group that was kept, or a class. */
export type Against = "rest" | "kept" | number;

/** What a group needs of its view. */
interface GroupHost {
  say: (message: string) => void;
  able: () => boolean;
  select: (points: Uint32Array) => void;
  /** Color by a column of those that are offered, −1 for the labels. */
  color: (column: number) => void;
}

/** How many rows of each list are shown at first, and with each page more. */
const FIRST = { features: 12, words: 12, values: 6 };
const PAGE = 50;
/** The lists of a description. */
export type Listed = keyof typeof FIRST;

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
  /** The order of features and words. */
  readonly sort = signal<GroupSort>("effect");
  /** How many rows of each list are shown. */
  readonly shown = signal(FIRST);
  /** The points of a row. */
  private readonly found: Answers<"find">;
  private readonly file: Answers<"describe_csv">;
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
    this.found = new Answers(store.queries, "find");
    this.file = new Answers(store.queries, "describe_csv");
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
      const wanted = { sort: this.sort.value, ...this.shown.value };
      untracked(() => (empty ? this.description.clear() : this.description.ask(wanted, [points, others])));
    });
  }

  /** Show further rows of a list. */
  more(list: Listed): void {
    this.shown.value = { ...this.shown.peek(), [list]: this.shown.peek()[list] + PAGE };
  }

  /** Color by the column of a row, or select the points that have what it says. */
  take(title: string, color: number | null, filter: FindFilter | null): void {
    if (!this.host.able()) return;
    if (filter) this.found.ask({ text: "", column: -1, filters: [filter] }, [NONE], ({ found }) => this.host.select(found));
    else if (color !== null) {
      this.host.color(color);
      this.host.say(strings.coloredBy(title));
    }
  }

  /** Save all features and words as a file. */
  save(): void {
    if (!this.host.able()) return;
    const points = this.store.traits.selection.peek();
    this.file.ask({ sort: this.sort.peek() }, [points, this.others.peek()], ({ text }) => {
      saveAs(new Blob([text], { type: "text/csv" }), "group.csv");
      this.host.say(strings.groupCsvSaved);
    });
  }

  /** Why there is no file, "" if nothing was wrong. */
  get problem(): string {
    return this.file.error.value || this.found.error.value;
  }

  /** Copy names, a line for each. */
  async copy(names: readonly string[]): Promise<void> {
    this.host.say((await copyText(names.join("\n"))) ? strings.copied(strings.count(names.length, "name")) : strings.copyNotAllowed);
  }

  compareWith(against: Against): void {
    this.chosen.value = against;
  }

  /** Keep the selection: what is selected next is compared with it. */
  keep(): void {
    const points = this.store.traits.selection.peek();
    if (!points.length) {
      this.host.say(strings.selectAGroupFirst);
      return;
    }
    this.kept.value = points;
    this.chosen.value = "kept";
    this.host.say(strings.groupKept(strings.count(points.length)));
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
    this.host.say(strings.comparedWithTheRestAgain);
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


function pointsOf(labels: Int32Array, index: number): Uint32Array {
  const found = new Uint32Array(labels.length);
  let n = 0;
  for (let i = 0; i < labels.length; i++) if (labels[i] === index) found[n++] = i;
  return found.slice(0, n);
}
