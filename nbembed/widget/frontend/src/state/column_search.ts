/**
 * Finding a column among many by what is typed of its title. The kernel has all titles; the page asks for
 * the best matches, and keeps the ones before until these come.
 */
import { computed, signal, type ReadonlySignal } from "@preact/signals";
import { Answers } from "../wire/queries";
import type { Store } from "./store";
import type { ColumnUse } from "../wire/wire.generated";
import * as strings from "../strings";

/** So many columns are a plain menu. */
export const FEW = 30;

/** Something that can be chosen: a column by its number, or anything else by its name. */
export interface Choice {
  value: number | string;
  text: string;
}

/** Choices under one title. */
export interface ChoiceGroup {
  title: string;
  choices: readonly Choice[];
}

export class ColumnSearch {
  readonly text = signal("");
  readonly open = signal(false);
  /** The choice that Enter takes, −1 for none. */
  readonly active = signal(-1);
  readonly found: Answers<"find_columns">;
  /** What can be chosen, in the order of the list. */
  readonly groups: ReadonlySignal<readonly ChoiceGroup[]>;
  readonly choices: ReadonlySignal<readonly Choice[]>;
  /** How many columns match that are not listed. */
  readonly more: ReadonlySignal<number>;
  /** Choices beside the columns: before and after them. */
  private readonly others = signal<readonly [readonly ChoiceGroup[], readonly ChoiceGroup[]]>([[], []]);
  private readonly skipped = signal<ReadonlySet<number>>(new Set());
  /** The text that the newest answer is for, null before there is any. */
  private answered: string | null = null;
  /** What is to be done with the answer that is awaited. */
  private then: (() => void) | null = null;

  constructor(
    store: Store,
    private readonly use: ColumnUse,
    private readonly say: (message: string) => void,
  ) {
    this.found = new Answers(store.queries, "find_columns");
    const listed = computed(() => {
      const answer = this.found.value.value;
      if (!answer) return [];
      return answer.columns.map((value, k) => ({ value, text: answer.titles[k] })).filter(({ value }) => !this.skipped.value.has(value));
    });
    this.groups = computed(() => {
      const words = this.text.value.toLowerCase().split(/\s+/).filter(Boolean);
      const own = (groups: readonly ChoiceGroup[]) => groups.map(({ title, choices }) => ({
        title, choices: choices.filter(({ text }) => words.every((word) => text.toLowerCase().includes(word))),
      }));
      const [before, after] = this.others.value;
      return [...own(before), { title: strings.columns, choices: listed.value }, ...own(after)].filter(({ choices }) => choices.length);
    });
    this.choices = computed(() => this.groups.value.flatMap(({ choices }) => choices));
    this.more = computed(() => {
      const answer = this.found.value.value;
      return answer ? answer.matching - answer.columns.length : 0;
    });
  }

  /** What there is to choose beside the columns, and which of these are left out. */
  offer(before: readonly ChoiceGroup[], after: readonly ChoiceGroup[], skipped: ReadonlySet<number>): void {
    this.others.value = [before, after];
    this.skipped.value = skipped;
  }

  /** Open the list; nothing is typed yet. */
  begin(): void {
    if (this.open.peek()) return;
    this.open.value = true;
    this.type("");
  }

  type(text: string): void {
    this.open.value = true;
    this.text.value = text;
    this.then = null;
    this.active.value = -1;
    this.found.ask({ use: this.use, text }, [], (answer) => {
      this.answered = text;
      if (this.text.peek() !== text) return;
      if (text.trim() && this.choices.peek().length) this.active.value = 0;
      this.say(text.trim() ? strings.matchingOfFound(strings.count(answer.matching, "column"), answer.count.toLocaleString("en")) : strings.count(answer.count, "column"));
      const then = this.then;
      this.then = null;
      then?.();
      if (!this.open.peek()) this.close();
    });
  }

  close(): void {
    this.open.value = false;
    this.text.value = "";
    this.answered = null;
    this.then = null;
    this.found.clear();
  }

  /** Close the list as somebody goes elsewhere; a choice that awaits its answer is taken all the same. */
  leave(): void {
    if (this.then) this.open.value = false;
    else this.close();
  }

  /** Go up or down the list. */
  move(by: number): void {
    const last = this.choices.peek().length - 1;
    if (last < 0) return;
    const from = this.active.peek();
    const past = from + by < 0 || from + by > last;
    this.active.value = Math.abs(by) === 1 && past ? (by > 0 ? 0 : last) : Math.min(Math.max(from + by, 0), last);
  }

  /** Take the active choice: that of the typed text, also if it is not known yet. */
  accept(take: (choice: Choice) => void): void {
    const act = (): void => {
      const choice = this.choices.peek()[this.active.peek()];
      if (choice) take(choice);
    };
    if (this.answered === this.text.peek()) act();
    else this.then = act;
  }
}
