/**
 * The points, or the labels of points, as rows of a table: which are listed, in which order, and the cells of
 * those in view. The order of all rows comes as one array, cells only for rows that are looked at.
 */
import { batch, effect, signal, untracked, type Signal } from "@preact/signals";
import { combine, same, type Combine } from "./pick";
import { Answers } from "../wire/queries";
import type { Store } from "./store";
import type { RowColumn, RowTable } from "../wire/wire.generated";

const NONE = new Uint32Array(0);
/** Cells of so many rows are kept. */
const MOST_KEPT = 20_000;
/** Rows that one question asks for. */
const BATCH = 200;
/** Rows that are read beyond those in view. */
const AHEAD = 40;

export class Rows {
  /** Whether the selected points are listed, or all. */
  readonly scope: Signal<"selected" | "all">;
  readonly sorted = signal({ column: 0, descending: false });
  readonly order: Answers<"order">;
  /** The row that the keys act on, −1 for none. */
  readonly active = signal(-1);
  /** Counts the answers with cells. */
  readonly news = signal(0);
  /** The points that are listed while the selected ones are: a selection made in the table does not change them. */
  readonly listed = signal<Uint32Array>(NONE);
  private readonly cells = new Map<number, string[]>();
  private readonly answers: Answers<"rows">;
  /** The selection that was made in the table. */
  private own: Uint32Array | null = null;
  /** The row from which a range extends. */
  private anchor = 0;
  private window: [number, number] = [0, 0];

  constructor(
    private readonly store: Store,
    readonly table: RowTable,
    private readonly select: (points: Uint32Array) => void,
  ) {
    this.scope = signal("all");
    this.order = new Answers(store.queries, "order");
    this.answers = new Answers(store.queries, "rows");
  }

  /** Keep order and cells up to date until the returned function is called. The points that are selected now are listed, if any. */
  watch(): () => void {
    const { selection, label_codes: labels, label_confidence: confidence, undo } = this.store.traits;
    const { table } = this;
    if (table === "data") this.list(selection.peek().length ? "selected" : "all");
    const offs = [
      effect(() => {
        const points = selection.value;
        if (this.own && same(points, this.own)) return;
        this.own = null;
        this.listed.value = points;
      }),
      effect(() => {
        const { column, descending } = this.sorted.value;
        const all = this.scope.value === "all";
        const points = all ? NONE : this.listed.value;
        if (table === "labels") {
          void [labels.value, confidence.value, undo.value]; // who gave a label may be all that changes
          this.cells.clear();
        } else if (this.columns[column]?.kind === "label") void labels.value;
        untracked(() => (all || points.length ? this.order.ask({ table, column, descending }, [points]) : this.order.clear()));
      }),
      this.order.value.subscribe(() => {
        this.active.value = -1;
        this.read(...this.window);
      }),
      this.answers.value.subscribe((answer) => {
        if (!answer) return;
        if (this.cells.size > MOST_KEPT) this.cells.clear();
        answer.points.forEach((point, k) => this.cells.set(point, answer.cells[k]));
        this.news.value++;
        this.read(...this.window);
      }),
    ];
    return () => offs.forEach((off) => off());
  }

  /** List the points that are selected now, or all. */
  list(scope: "selected" | "all"): void {
    batch(() => {
      this.own = null;
      this.listed.value = this.store.traits.selection.peek();
      this.scope.value = scope;
    });
  }

  get columns(): RowColumn[] {
    return this.order.value.peek()?.columns ?? [];
  }

  /** The points in the order of the rows. */
  get points(): Uint32Array {
    return this.order.value.value?.order ?? NONE;
  }

  /** The cells of a point, if they have come. */
  cellsOf(point: number): string[] | undefined {
    void this.news.value;
    return this.cells.get(point);
  }

  /** Ask for the cells of the rows from `first` to below `end`, and some around them. */
  read(first: number, end: number): void {
    this.window = [first, end];
    const points = this.order.value.peek()?.order ?? NONE;
    const missing: number[] = [];
    const wanted = (from: number, to: number) => {
      for (let k = Math.max(0, from); k < Math.min(to, points.length) && missing.length < BATCH; k++) if (!this.cells.has(points[k])) missing.push(points[k]);
    };
    wanted(first, end);
    if (!missing.length) {
      wanted(end, end + AHEAD);
      wanted(first - AHEAD, first);
    }
    if (missing.length) this.answers.ask({ table: this.table }, [Uint32Array.from(missing).sort()]);
  }

  /** Sort by a column; by the same again in the other direction. */
  sortBy(column: number): void {
    const { column: before, descending } = this.sorted.peek();
    this.sorted.value = { column, descending: column === before && !descending };
  }

  /** Select the point of a row, add or remove it, or extend the selection from the last such row to it. */
  choose(row: number, how: "replace" | "toggle" | "extend"): void {
    const points = this.points;
    if (!(row >= 0 && row < points.length)) return;
    this.active.value = row;
    if (how !== "extend") this.anchor = row;
    const ends = [Math.min(this.anchor, row), Math.max(this.anchor, row) + 1] as const;
    const chosen = how === "extend" ? points.slice(...ends) : Uint32Array.of(points[row]);
    this.choosePoints(chosen, how === "toggle" ? "toggle" : "replace");
  }

  chooseAll(): void {
    this.choosePoints(this.points, "replace");
  }

  private choosePoints(points: Uint32Array, how: Combine): void {
    const chosen = combine(this.store.traits.selection.peek(), points, how);
    this.own = this.scope.peek() === "selected" ? chosen : null;
    this.select(chosen);
  }
}
