/**
 * The columns of the table that the map is made of. A change of one makes another map, in which this view is not,
 * so that one change is made at a time; changes that follow each other quickly are one.
 */
import { signal } from "@preact/signals";
import { Answers } from "../wire/queries";
import type { DataColumn } from "../wire/wire.generated";
import type { Store } from "./store";
import * as strings from "../strings";

/** The step of the slider of a weight. */
export const STEP = 0.1;
/** Milliseconds from a step by keyboard until the map is made: more steps may follow. */
const PAUSE = 250;

/** What a change needs of its view. */
export interface Host {
  say: (message: string) => void;
  able: () => boolean;
  /** Show the map in a widget. */
  show: (widget: string) => void;
  /** Whether the map around this one shows what takes its place. */
  readonly inside: boolean;
}

export class Data {
  readonly text = signal("");
  readonly found: Answers<"data_columns">;
  /** The column as a person changes it, until the map is there. */
  readonly draft = signal<DataColumn | null>(null);
  /** Whether numbers are scaled, as a person changes it. */
  readonly scaled = signal<boolean | null>(null);
  /** Whether a map is being made. */
  readonly making = signal(false);
  /** Whether the map was made and is shown elsewhere. */
  readonly elsewhere = signal(false);
  /** The control that had the focus in the view before, "" for none. */
  private control = "";
  private timer: ReturnType<typeof setTimeout> | undefined;

  constructor(
    private readonly store: Store,
    private readonly host: Host,
  ) {
    this.found = new Answers(store.queries, "data_columns");
  }

  destroy(): void {
    clearTimeout(this.timer);
  }

  /** Go on where the view before was: with what was searched, and the control that had the focus. */
  goOnAt(text: string, control: string): void {
    this.text.value = text;
    this.control = control;
  }

  /** The control that is to have the focus, once. */
  takeControl(): string {
    const { control } = this;
    this.control = "";
    return control;
  }

  ask(): void {
    this.found.ask({ text: this.text.peek() }, []);
  }

  search(text: string): void {
    this.text.value = text;
    this.ask();
  }

  /** The column as it is shown. */
  shown(column: DataColumn): DataColumn {
    const draft = this.draft.value;
    return draft?.column === column.column ? draft : column;
  }

  /** Show the columns as the map has them. */
  settle(): void {
    clearTimeout(this.timer);
    this.draft.value = this.scaled.value = null;
  }

  /** Change a column on the page alone, as long as a slider is held; returns whether it can be changed. */
  hold(column: DataColumn, change: Partial<DataColumn>): boolean {
    const draft = this.draft.peek();
    if (this.making.peek() || !this.host.able() || (draft && draft.column !== column.column)) return false;
    clearTimeout(this.timer);
    this.draft.value = { ...column, ...change };
    return true;
  }

  /** Change a column, and make the map at once or, since more may follow, soon. */
  change(column: DataColumn, change: Partial<DataColumn>, soon = false): void {
    if (!this.hold(column, change)) return;
    if (soon) this.timer = setTimeout(() => this.send(), PAUSE);
    else this.send();
  }

  /** Scale numbers, or take them as they are. */
  standardize(on: boolean): void {
    if (this.making.peek() || !this.host.able()) return;
    this.settle();
    this.scaled.value = on;
    void this.make(this.store.commands.send("standardize", { on }, []));
  }

  private send(): void {
    const draft = this.draft.peek();
    if (!draft) return;
    const { column, embedded, weight, log } = draft;
    void this.make(this.store.commands.send("prepare_column", { column, embedded, weight, log }, []));
  }

  private async make(asked: Promise<{ ok: boolean }>): Promise<void> {
    const { child_maps: maps } = this.store.traits;
    const before = new Set(maps.peek().map(({ widget }) => widget));
    this.making.value = true;
    this.elsewhere.value = false;
    this.host.say(strings.makingAMap(strings.count(this.store.traits.n_samples.peek())));
    const { ok } = await asked;
    this.making.value = false;
    const made = ok && maps.peek().find(({ widget }) => !before.has(widget));
    if (made) this.host.show(made.widget); // what was changed is shown until the map is
    else if (!ok || !this.host.inside) this.settle();
    this.elsewhere.value = ok && !made && !this.host.inside;
  }
}
