/**
 * Finding points: by text, by filters that act together, by neighborhood, by saved name. What is found
 * becomes the selection as one types and drags; how it joins what was selected before is a choice.
 */
import { signal } from "@preact/signals";
import { combine, same, type Combine } from "./pick";
import { shownPoints } from "./shown_positions";
import { Answers, problemOf, readAnswer } from "../wire/queries";
import type { Store } from "./store";
import type { FindChart, FindFilter, FindSpace, FindStep } from "../wire/wire.generated";
import * as strings from "../strings";

/** How what is found joins the selection. */
type Join = Exclude<Combine, "toggle">;
export const JOINS: readonly { how: Join; text: string; hint: string }[] = [
  { how: "replace", text: strings.newSelection, hint: strings.newSelectionHint },
  { how: "add", text: strings.add, hint: strings.addFoundHint },
  { how: "subtract", text: strings.remove, hint: strings.removeFoundHint },
  { how: "intersect", text: strings.within, hint: strings.withinHint },
];

/** Earlier selections that are kept. */
const MOST_EARLIER = 30;
/** Own selections that the kernel may still tell back. */
const MOST_OWN = 8;
const NONE = new Uint32Array(0);

/** Letters from which on columns are offered by name, and how many. */
const [SHORTEST, MOST_CALLED] = [2, 3];
/** The share of the points that has high values of a column. */
const HIGH = 0.1;

/** A column that is called like what is searched. */
export interface Called {
  column: number;
  title: string;
  /** Its number to color by, null if it cannot, −1 for the labels. */
  color: number | null;
  isNumber: boolean;
}

/** What finding needs of its view. */
interface Finder {
  select: (points: Uint32Array, how: Combine) => void;
  say: (message: string) => void;
  able: () => boolean;
}

/** Points that a deleted or replaced selection had. */
export interface Lost {
  name: string;
  points: Uint32Array;
}

export class Find {
  readonly text = signal("");
  /** The column that is searched, −1 for names and all columns of text. */
  readonly column = signal(-1);
  readonly filters = signal<readonly FindFilter[]>([]);
  readonly how = signal<Join>("replace");
  readonly k = signal(10);
  readonly space = signal<FindSpace>("data");
  readonly columns: Answers<"find_columns">;
  /** The columns that are called like what is searched. */
  readonly called = signal<readonly Called[]>([]);
  /** The titles of columns that were listed or chosen, by their number. */
  readonly titles = new Map<number, string>();
  readonly found: Answers<"find">;
  readonly near: Answers<"find_near">;
  /** Why a saved selection could not be read, "" if it could. */
  readonly problem = signal("");
  /** Selections that others have replaced, the latest last. */
  readonly earlier = signal<readonly Uint32Array[]>([]);
  readonly lost = signal<Lost | null>(null);
  /** Counts requests to put the focus into the search field. */
  readonly focus = signal(0);

  /** What was selected before finding began. */
  private ground: Uint32Array = NONE;
  private own: Uint32Array[] = [];
  /** Whether the next answer becomes the selection. */
  private selecting = false;
  private refining = false;
  private readonly naming: Answers<"find_columns">;
  /** The column of which high values are chosen once its histogram is there, −1 for none. */
  private high = -1;
  private readonly off: () => void;

  constructor(
    private readonly store: Store,
    private readonly view: Finder,
  ) {
    this.columns = new Answers(store.queries, "find_columns");
    this.found = new Answers(store.queries, "find");
    this.near = new Answers(store.queries, "find_near");
    this.naming = new Answers(store.queries, "find_columns");
    this.off = this.found.value.subscribe((answer) => {
      const chart = answer?.charts.find(({ column }) => column === this.high);
      if (chart) {
        this.high = -1;
        if (chart.kind === "number") this.setFilter(chart.column, { low: highest(chart) });
      } else if (answer && this.selecting) this.apply(answer.found);
    });
  }

  destroy(): void {
    this.off();
  }

  /** The panel has been opened: ask what may have changed since. */
  open(): void {
    this.columns.ask({ use: "find", text: "" }, [], ({ columns, titles }) => columns.forEach((column, k) => this.titles.set(column, titles[k])));
    if (this.filters.peek().length) this.ask(false);
  }

  /** Labels have changed, and with them who passes a filter of labels; the selection stays. */
  relabeled(): void {
    if (this.filters.peek().length) this.ask(false);
  }

  search(text: string): void {
    this.text.value = text;
    this.ask();
    const wanted = text.trim();
    this.called.value = [];
    if ([...wanted].length < SHORTEST) return;
    const word = wordBegins(wanted);
    this.naming.ask({ use: "find", text: wanted }, [], ({ columns, titles, colors, numbers }) => {
      if (this.text.peek().trim() !== wanted) return;
      this.called.value = columns
        .map((column, k) => ({ column, title: titles[k], color: colors[k], isNumber: numbers[k] }))
        .filter(({ title }) => word.test(title)).slice(0, MOST_CALLED);
    });
  }

  /** Find by a column that is called like what was searched; of numbers, the highest. */
  choose({ column, title, isNumber }: Called): void {
    this.text.value = "";
    this.called.value = [];
    if (isNumber) this.high = column;
    this.filters.value = this.filters.peek().filter((filter) => filter.column !== column);
    this.addFilter(column, title);
  }

  searchColumn(column: number, title = this.titles.get(column) ?? ""): void {
    this.titles.set(column, title);
    this.column.value = column;
    if (this.text.peek().trim()) this.ask();
  }

  join(how: Join): void {
    this.how.value = how;
    if (this.active()) this.ask();
  }

  addFilter(column: number, title = this.titles.get(column) ?? ""): void {
    this.titles.set(column, title);
    if (this.filters.peek().some((filter) => filter.column === column)) return;
    this.filters.value = [...this.filters.peek(), { column, low: null, high: null, categories: null, text: "" }];
    this.ask(false);
  }

  setFilter(column: number, change: Partial<FindFilter>): void {
    this.filters.value = this.filters.peek().map((filter) => (filter.column === column ? { ...filter, ...change } : filter));
    this.ask();
  }

  removeFilter(column: number): void {
    const gone = this.filters.peek().find((filter) => filter.column === column);
    this.filters.value = this.filters.peek().filter((filter) => filter !== gone);
    this.ask(gone !== undefined && limits(gone));
  }

  /** Take away text and all limits; filters stay open. */
  clear(): void {
    this.text.value = "";
    this.filters.value = this.filters.peek().map(({ column }) => ({ column, low: null, high: null, categories: null, text: "" }));
    this.ask();
  }

  /** Whether anything is looked for. */
  active(): boolean {
    return this.text.value.trim() !== "" || this.filters.value.some(limits);
  }

  /** Keep what was selected, unless it only changes because one goes on finding. */
  remember(before: Uint32Array): void {
    if (this.refining || !before.length) return;
    const last = this.earlier.peek().at(-1);
    if (last && same(last, before)) return;
    this.earlier.value = [...this.earlier.peek(), before].slice(-MOST_EARLIER);
  }

  /** Go back to the selection before this one. */
  back(): void {
    const now = this.store.traits.selection.peek();
    const kept = this.earlier.peek().slice();
    let last = kept.pop();
    while (last && same(last, now)) last = kept.pop();
    this.earlier.value = kept;
    if (!last) {
      this.view.say(strings.thereIsNoEarlierSelection);
      return;
    }
    this.refining = true;
    this.view.select(last, "replace");
    this.refining = false;
  }

  /** Select the points that are shown and not selected. */
  invert(): void {
    this.view.select(combine(shownPoints(this.store), this.store.traits.selection.peek(), "subtract"), "replace");
  }

  /** Select the neighbors of the selected points, or grow or shrink the selection by them. */
  step(step: FindStep): void {
    const points = this.store.traits.selection.peek();
    if (!points.length) {
      this.view.say(strings.selectPointsFirst);
      return;
    }
    if (!this.view.able()) return;
    this.selectNear(step === "neighbors" ? this.how.peek() : "replace", this.space.peek(), step, points);
  }

  /** Select a point and its nearest neighbors in the data. */
  around(point: number): void {
    if (!this.view.able()) return;
    this.selectNear("replace", "data", "grow", Uint32Array.of(point));
  }

  private selectNear(how: Join, space: FindSpace, step: FindStep, points: Uint32Array): void {
    this.near.ask({ k: this.k.peek(), space, step }, [points], ({ found }) => this.view.select(found, how));
  }

  /** Save the selection by name; what was saved by that name before can be put back. */
  save(name: string): void {
    const points = this.store.traits.selection.peek();
    const trimmed = name.trim();
    if (!trimmed || !points.length || !this.view.able()) return;
    const send = (): void => {
      void this.store.commands.send("save_selection", { name: trimmed }, [points]);
      this.view.say(strings.selectionSaved(trimmed));
    };
    if (this.known(trimmed)) this.ahead(trimmed, send);
    else send();
  }

  recall(name: string): void {
    const how = this.how.peek();
    this.read(name, (found) => this.view.select(found, how));
  }

  delete(name: string): void {
    if (!this.view.able()) return;
    this.ahead(name, () => {
      void this.store.commands.send("delete_selection", { name }, []);
      this.view.say(strings.deleted(name));
    });
  }

  /** Save again what was deleted or replaced last. */
  putBack(): void {
    const lost = this.lost.peek();
    if (!lost || !this.view.able()) return;
    this.lost.value = null;
    void this.store.commands.send("save_selection", { name: lost.name }, [lost.points]);
    this.view.say(strings.isBack(lost.name));
  }

  private known(name: string): boolean {
    return this.store.traits.selections.peek().some((saved) => saved.name === name);
  }

  /** Keep what is saved by a name, and then do something that loses it. */
  private ahead(name: string, then: () => void): void {
    this.read(name, (points) => {
      this.lost.value = { name, points };
      then();
    });
  }

  /** Ask for the points of a saved selection. Each question is one asker's: the kernel drops none for a later one. */
  private read(name: string, then: (points: Uint32Array) => void): void {
    const { queries } = this.store;
    queries.ask(queries.newAsker(), "saved_selection", { name }, [], (answer, buffers) => {
      this.problem.value = problemOf(answer);
      if (answer && !this.problem.peek()) then(readAnswer("saved_selection", answer, buffers).found);
    });
  }

  /** Ask what is found; by default it becomes the selection. */
  private ask(select = true): void {
    this.settle();
    if (select) this.selecting = true;
    else if (!this.found.pending.peek()) this.selecting = false;
    if (!this.active() && !this.filters.peek().length) this.found.clear();
    else {
      const among = this.how.peek() === "intersect" ? this.ground : NONE;
      this.found.ask({ text: this.text.peek(), column: this.column.peek(), filters: [...this.filters.peek()] }, [among]);
    }
    // Nothing is looked for any more: what was selected before is selected again.
    if (select && !this.active()) this.take(this.ground);
  }

  /** A selection that is not of our making is the ground for what is found from now on. */
  private settle(): void {
    const now = this.store.traits.selection.peek();
    if (this.own.some((points) => same(points, now))) return;
    this.ground = now;
    this.own = [];
  }

  private apply(found: Uint32Array): void {
    if (!this.active()) return;
    this.settle();
    this.take(combine(this.ground, found, this.how.peek()));
  }

  private take(points: Uint32Array): void {
    if (same(points, this.store.traits.selection.peek())) return;
    this.refining = this.own.length > 0;
    this.own = [...this.own, points].slice(-MOST_OWN);
    this.view.select(points, "replace");
    this.refining = false;
  }
}

/** Whether a filter lets not all points pass. */
function limits({ low, high, categories, text }: FindFilter): boolean {
  return low !== null || high !== null || categories !== null || text.trim() !== "";
}

/** Patterns that find a text at the beginning of a word and as a whole word, without regard to case. */
export function wordBegins(text: string, whole = false): RegExp {
  const letters = text.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&");
  return new RegExp(`(?<![\\p{L}\\p{N}_])${letters}${whole ? "(?![\\p{L}\\p{N}_])" : ""}`, "iu");
}

/** The first bar of those that hold the highest tenth of the values, or the last one alone if it holds more. */
function highest({ low, high, step, totals }: FindChart): number | null {
  const most = HIGH * totals.reduce((sum, n) => sum + n, 0);
  let first = totals.length;
  for (let held = 0; first > 1 && (held === 0 || held + totals[first - 1] <= most); ) held += totals[--first];
  return first < totals.length ? low + first * (step || (high - low) / totals.length) : null;
}
