/**
 * The state of one view (tool, chosen class, confidence, announcements) and the actions that buttons
 * and keys share. What outlives the view is in the store or in the kernel.
 */
import type { Host } from "@anywidget/types";
import { computed, effect, signal, type ReadonlySignal, type Signal } from "@preact/signals";
import { inline, type Card } from "../state/cards";
import { ChildMaps } from "./child_maps";
import { ClassEdits } from "./class_edits";
import { Changes } from "./changes";
import { isMissing } from "../state/column_text";
import { Latest, Setters } from "../wire/commands";
import { Data } from "../state/data";
import { Find } from "../state/find";
import { Group } from "../state/group";
import type { CardBox } from "../map/open_cards";
import { GroupWalk } from "../state/group_walk";
import { Compare } from "../state/compare";
import { combine, type Combine } from "../state/pick";
import type { PointMap, Tool } from "../map/map";
import { shownPoints } from "../state/shown_positions";
import { legendOf } from "./legend";
import { Links } from "./links";
import { inOrder, Naming } from "./naming";
import type { Place } from "./place";
import { Questions } from "../state/questions";
import type { Store } from "../state/store";
import { Why } from "../state/why";
import type { Theme } from "../host/theme";
import type { Background, ColorMode, CommandArguments, CommandName, CommandPoints } from "../wire/wire.generated";
import * as strings from "../strings";

/** Cards that can be open at a time. */
export const MOST_CARDS = 12;

export class View {
  readonly tool = signal<Tool>("pan");
  /** Radius of the brush in pixels. */
  readonly brush = signal(16);
  /** The name of the chosen class, "" where there is none; a new class is chosen before the kernel lists it. */
  readonly chosenName = signal("");
  /** Its place in the kernel's list, which changes as classes come and go; −1 if it is not there. */
  readonly chosenClass: ReadonlySignal<number>;
  readonly confidence = signal(1);
  readonly helpOpen = signal(false);
  readonly pictureOpen = signal(false);
  /** Whether the advanced parameters are unfolded; it stays so while another panel is open. */
  readonly advancedOpen = signal(false);
  /** Whether the tour goes on. */
  readonly tour = signal(false);
  /** The open tab of the side panel, "" while it is folded away. */
  readonly tab = signal("steer");
  /** What is open below the map, "" for nothing. */
  readonly dock = signal("");
  /** The name being typed for a new class, or null. */
  readonly newClass = signal<string | null>(null);
  /** Announced by the live region, for screen readers. */
  readonly spoken = signal("");
  readonly map = signal<PointMap | null>(null);
  /** Where the open cards lie. */
  readonly cardBoxes = signal<readonly CardBox[]>([]);
  readonly questions: Questions;
  readonly data: Data;
  readonly find: Find;
  readonly group: Group;
  /** The suggested groups that are being named. */
  readonly walk: GroupWalk;
  /** The first group of two, while the second is being selected or compared with it. */
  readonly marked = computed(() => this.links.apart.value ?? (this.tab.value === "group" ? this.group.marked.value : null));
  readonly why: Why;
  readonly compare: Compare;
  readonly naming: Naming;
  readonly classEdits: ClassEdits;
  readonly links: Links;
  readonly changes: Changes;
  readonly childMaps: ChildMaps;
  readonly counts: ReadonlySignal<number[]>;
  /** The classes in the order of their places, as indices. */
  readonly classOrder: ReadonlySignal<number[]>;
  readonly running: ReadonlySignal<boolean>;
  /** The tab that was open when the panel was folded away. */
  private folded = "steer";
  private readonly setters: Setters;
  private readonly pathScrub: Latest<number>;
  private readonly stop: () => void;
  private readonly settled: () => void;

  constructor(
    readonly store: Store,
    readonly theme: Signal<Theme>,
    /** Whether the page has no kernel, so that nothing can be labeled or waited for. */
    readonly still = false,
    host?: Host,
    /** Whether it is in the place of another Explorer's map. */
    inside = false,
    /** Where the view was whose place it takes. */
    place: Place | null = null,
  ) {
    this.chosenClass = computed(() => store.traits.classes.value.findIndex(({ name }) => name === this.chosenName.value));
    this.stop = this.keepChosen();
    this.setters = new Setters(store.link, (name, value, at) => store.commands.send("set", { [name]: value }, [], at));
    this.pathScrub = new Latest(store.link, (index, at) => store.commands.send("show_path_step", { index }, [], at));
    this.questions = new Questions(store, {
      say: (message) => this.say(message),
      able: () => this.able(),
      label: (point, name) => {
        this.naming.forget();
        void this.label(Uint32Array.of(point), name);
      },
      show: (point) => this.map.peek()?.bringIntoView(point),
      reveal: () => (this.tab.value = "steer"),
    });
    this.data = new Data(store, {
      say: (message) => this.say(message),
      able: () => this.able(),
      show: (widget) => this.childMaps.show(widget),
      inside,
    });
    this.find = new Find(store, {
      select: (points, how) => this.select(points, how),
      say: (message) => this.say(message),
      able: () => this.able(),
    });
    this.group = new Group(store, {
      say: (message) => this.say(message),
      able: () => this.able(),
      select: (points) => this.select(points, "replace"),
      color: (column) => this.colorByColumn(column),
    });
    this.walk = new GroupWalk(store, {
      say: (message) => this.say(message),
      able: () => this.able(),
      label: (points, name) => {
        this.naming.used(points, name);
        return this.chooseNamed(name, () => this.label(points, name));
      },
      reveal: () => (this.tab.value = "steer"),
    });
    this.why = new Why(store, this.tab, computed(() => this.map.value?.hover.value?.index ?? -1), () => (this.tab.value = "why"));
    this.compare = new Compare(store, {
      say: (message) => this.say(message),
      able: () => this.able(),
      select: (points) => this.select(points, "replace"),
    });
    this.naming = new Naming(store, {
      say: (message) => this.say(message),
      able: () => this.able(),
      map: () => this.map.peek(),
      chosen: this.chosenName,
      asking: () => this.questions.asking,
      name: (purpose, name) => {
        if (purpose === "selection") void this.labelSelectionAs(name);
        else if (purpose === "question") this.questions.answerAs(name);
        else void this.addClass(name);
      },
    });
    this.classEdits = new ClassEdits(store, { say: (message) => this.say(message), able: () => this.able(), chosen: this.chosenName });
    this.links = new Links(store, { say: (message) => this.say(message), able: () => this.able(), clear: () => this.clearSelection() });
    this.changes = new Changes(store, {
      say: (message) => this.say(message),
      able: () => this.able(),
      scene: () => this.map.peek()?.scene() ?? null,
      legend: () => legendOf(store, this.why, theme.peek()),
    });
    this.childMaps = new ChildMaps(store, host ?? null, {
      say: (message) => this.say(message),
      able: () => this.able(),
      togglePlay: () => this.togglePlay(),
    });
    this.settled = effect(() => {
      const { open, shown } = this.childMaps;
      if (open.value === shown.value) this.data.settle();
    });
    if (place) {
      if (place.tab) this.tab.value = place.tab;
      this.data.goOnAt(place.text, place.control);
    }
    this.running = computed(() => store.traits.state.value === "running" && store.link.state.value !== "gone");
    this.classOrder = computed(() => inOrder(store.traits.classes.value).map(({ index }) => index));
    this.counts = computed(() => {
      const counts = store.traits.classes.value.map(() => 0);
      for (const label of store.traits.label_codes.value) if (label >= 0 && label < counts.length) counts[label]++;
      return counts;
    });
  }

  destroy(): void {
    this.stop();
    this.settled();
    this.data.destroy();
    this.questions.destroy();
    this.find.destroy();
    this.walk.destroy();
    this.why.destroy();
    this.compare.destroy();
    this.naming.destroy();
    this.childMaps.destroy();
  }

  say(message: string): void {
    // Screen readers announce a repeated message only if its text differs.
    this.spoken.value = this.spoken.peek() === message ? message + "\u00a0" : message;
  }

  /** Whether commands can be carried out; if not, says so. */
  able(): boolean {
    if (this.store.link.state.peek() !== "gone") return true;
    this.say(strings.notPossibleWithoutKernel);
    return false;
  }

  /** Give a command, and say what it does. */
  private give<N extends CommandName>(name: N, args: CommandArguments[N], points: CommandPoints[N], said = ""): void {
    if (!this.able()) return;
    void this.store.commands.send(name, args, points);
    if (said) this.say(said);
  }

  togglePlay(): void {
    this.give(this.running.peek() ? "pause" : "play", {}, []);
  }

  step(): void {
    this.give("step", {}, []);
  }

  reset(): void {
    this.give("reset", {}, []);
    this.map.peek()?.fitView();
  }

  /** Recover from an error: start cold with the present labels and parameters. */
  startAgain(): void {
    this.reset();
    this.give("play", {}, []);
  }

  /** Take back the last change; points that were just labeled are selected again. */
  undo(): void {
    const text = this.store.traits.undo.peek();
    if (!text) return;
    this.give("undo", {}, [], strings.undoneStep(text));
    const points = this.naming.undoing(text);
    if (!points || !this.able()) return;
    this.walk.undone();
    this.store.select(points);
  }

  redo(): void {
    const text = this.store.traits.redo.peek();
    if (!text) return;
    this.give("redo", {}, [], strings.redone(text));
    if (this.naming.redoing(text) && this.able()) this.store.select(new Uint32Array(0));
  }

  /** Go to a place of the history. */
  goTo(number: number, text: string): void {
    this.give("go_to", { number }, [], strings.wentTo(text));
  }

  /** Give up what is done in the background. */
  cancel(what: Background): void {
    if (what === "suggestions") this.hideSuggestions();
    if (what === "stability") {
      this.why.recurring.value = false;
      this.colorWithout("stability");
    }
    this.give("cancel", { what }, [], strings.canceledLabelsAreKept);
  }

  /** Show no suggestions, so that they begin anew when they are shown again. */
  private hideSuggestions(): void {
    this.questions.open.value = false;
    this.colorWithout("suggestion");
  }

  /** Color by something else than what is not there. */
  private colorWithout(mode: ColorMode): void {
    const { color_by: colorBy, color_column: column } = this.store.traits;
    if (colorBy.peek() === mode) this.colorBy(column.peek().kind === "none" ? "class" : "column");
  }

  choose(tool: Tool): void {
    this.tool.value = tool;
    this.say(strings.toolIsChosen(tool[0].toUpperCase(), tool.slice(1)));
  }

  set(name: string, value: number): void {
    if (!this.able()) return;
    this.setters.set(name, value);
  }

  /** Change a parameter to a word. */
  setWord(name: string, word: string): void {
    this.give("set_word", { name, word }, [], strings.isNow(name, word));
  }

  /** Whether the kernel has not taken the last value of a parameter yet. */
  waits(name: string): boolean {
    return this.setters.waits(name);
  }

  switchMethod(method: string): void {
    this.give("switch", { method }, []);
    this.map.peek()?.fitView();
  }

  colorBy(mode: ColorMode): void {
    this.give("color_by", { mode }, []);
  }

  /** Color by one of the columns that the kernel offers, −1 for the labels. */
  colorByColumn(column: number): void {
    if (column < 0) this.colorBy("class");
    else this.give("color_by_column", { column }, []);
  }

  movePath(index: number): void {
    if (!this.able()) return;
    this.pathScrub.push(index);
  }

  /** Select points; `by` says what they were chosen with, for the history. */
  select(points: Uint32Array, how: Combine, by = ""): void {
    const before = this.store.traits.selection.peek();
    const after = combine(before, points, how);
    if (after.length === 0 && before.length === 0) return;
    this.find.remember(before);
    this.store.select(after, by);
    this.say(after.length ? strings.selected(strings.count(after.length)) : strings.selectionCleared);
  }

  /** Select points on a map; the field for their class opens. */
  selectByHand(points: Uint32Array, how: Combine, touch: boolean, by = ""): void {
    const { selection } = this.store.traits;
    const before = selection.peek();
    this.select(points, how, by);
    const now = selection.peek();
    // A finger should not raise a keyboard with each lasso.
    if (now !== before && now.length && !this.still && this.store.link.state.peek() !== "gone") this.naming.begin(!touch);
  }

  /** Fold the side panel away, or open it where it was. */
  togglePanel(): void {
    const open = this.tab.peek();
    if (open) this.folded = open;
    this.tab.value = open ? "" : this.folded;
  }

  /** Open the panel that finds points, at its search field. */
  openFind(): void {
    this.tab.value = "find";
    this.find.focus.value++;
  }

  /** Select all points that are shown. */
  selectAll(): void {
    this.select(shownPoints(this.store), "replace");
  }

  showHelp(shown: boolean): void {
    this.helpOpen.value = shown;
    if (shown) this.tour.value = this.pictureOpen.value = false;
  }

  showPicture(shown: boolean): void {
    this.pictureOpen.value = shown;
    if (shown) this.helpOpen.value = false;
  }

  beginTour(): void {
    this.helpOpen.value = false;
    this.tour.value = true;
  }

  clearSelection(): void {
    this.select(new Uint32Array(0), "replace");
  }

  selectClass(index: number): void {
    const points: number[] = [];
    this.store.traits.label_codes.peek().forEach((label, i) => label === index && points.push(i));
    this.select(Uint32Array.from(points), "replace");
  }

  /** Select the points of a category of the column that colors them, or add them, or remove them if all are selected. */
  selectCategory(code: number, join: boolean): void {
    this.selectValues((value) => value === code, join);
  }

  /** Select the points without a value in the column that colors them, or add or remove them. */
  selectMissing(join: boolean): void {
    const { kind } = this.store.traits.color_column.peek();
    this.selectValues((value) => isMissing(kind, value), join);
  }

  /** Select the rows that were added last, or add or remove them. */
  selectNewRows(join: boolean): void {
    this.selectTogether(this.store.traits.new_rows.peek(), join);
  }

  private selectValues(wanted: (value: number) => boolean, join: boolean): void {
    const values = this.store.traits.color_values.peek();
    this.selectTogether(shownPoints(this.store).filter((i) => wanted(values[i])), join);
  }

  private selectTogether(points: Uint32Array, join: boolean): void {
    const selected = new Set(join ? this.store.traits.selection.peek() : []);
    this.select(points, !join ? "replace" : points.every((i) => selected.has(i)) ? "subtract" : "add");
  }

  chooseClass(index: number): void {
    const known = this.store.traits.classes.peek()[index];
    if (!known) return;
    this.chosenName.value = known.name;
    this.say(strings.classExists(known.name));
  }

  /** Keep the card of a point open, or close it. */
  toggleCard(point: number): void {
    if (this.store.traits.cards.peek().includes(point)) this.closeCard(point);
    else this.openCard(point);
  }

  openCard(point: number): void {
    const open = this.store.traits.cards.peek();
    if (open.includes(point)) return;
    if (open.length >= MOST_CARDS) {
      this.say(strings.tooManyCards(MOST_CARDS));
      return;
    }
    this.store.showCards(combine(open, Uint32Array.of(point), "add"));
    this.store.cards.whenKnown(point, (card) => this.say(spokenCard(point, card)));
  }

  /** Bring a point into view and open its card. */
  showPoint(point: number): void {
    this.map.peek()?.bringIntoView(point);
    this.openCard(point);
  }

  closeCard(point: number): void {
    this.store.showCards(this.store.traits.cards.peek().filter((i) => i !== point));
    this.say(strings.cardClosed);
  }

  closeCards(): void {
    const open = this.store.traits.cards.peek();
    if (!open.length) return;
    this.store.showCards(new Uint32Array(0));
    this.say(strings.thingClosed(strings.count(open.length, "card")));
  }

  /** Show or hide names on the map. */
  showNames(shown: boolean): void {
    this.give("show_names", { shown }, []);
  }

  /** Show or hide images on the map. */
  showThumbnails(shown: boolean): void {
    this.give("show_thumbnails", { shown }, []);
  }

  labelSelection(): void {
    const points = this.store.traits.selection.peek();
    if (!points.length) {
      this.say(strings.selectPointsFirstAndHow);
      return;
    }
    const chosen = this.chosenName.peek();
    if (!chosen) this.naming.begin();
    else void this.labelSelectionAs(chosen);
  }

  /** Label the selected points, old class or new; they make room for the next selection. */
  private async labelSelectionAs(name: string): Promise<void> {
    const points = this.store.traits.selection.peek();
    if (!points.length || !this.able()) return;
    const taken = this.chooseNamed(name, () => this.label(points, name));
    this.naming.used(points, name);
    this.store.select(new Uint32Array(0));
    if (!(await taken) && !this.store.traits.selection.peek().length) this.store.select(points);
  }

  async addClass(name: string): Promise<void> {
    const trimmed = name.trim();
    this.cancelNewClass();
    if (!trimmed || !this.able()) return;
    if (this.store.traits.classes.peek().some((c) => c.name === trimmed)) void this.chooseNamed(trimmed, async () => true);
    else if (await this.chooseNamed(trimmed, async () => (await this.store.commands.send("add_class", { name: trimmed }, [])).ok)) this.say(strings.classAdded(trimmed));
  }

  /** Choose a class by name, which may be new; if it is not `made`, another one. Returns whether it was. */
  private async chooseNamed(name: string, made: () => Promise<boolean>): Promise<boolean> {
    const before = this.chosenName.peek();
    this.chosenName.value = name;
    const ok = await made();
    if (!ok && this.chosenName.peek() === name && this.chosenClass.peek() < 0) {
      const names = this.store.traits.classes.peek().map((c) => c.name);
      this.chosenName.value = names.includes(before) ? before : (names[0] ?? "");
    }
    return ok;
  }

  /** Where the chosen class has gone, choose the one in its place: the same by another name, or the next. */
  private keepChosen(): () => void {
    let before: string[] = [];
    return this.store.traits.classes.subscribe((list) => {
      const names = list.map(({ name }) => name);
      const chosen = this.chosenName.peek();
      const at = chosen ? before.indexOf(chosen) : 0;
      if (at >= 0 && !names.includes(chosen)) this.chosenName.value = names[Math.min(at, names.length - 1)] ?? "";
      before = names;
    });
  }

  cancelNewClass(): void {
    this.newClass.value = null;
  }

  private async label(points: Uint32Array, name: string): Promise<boolean> {
    const confidence = this.confidence.peek();
    if (!this.able()) return false;
    this.say(strings.pointsLabeled(strings.count(points.length), name, confidence));
    return (await this.store.commands.send("label", { class: name, confidence }, [points])).ok;
  }
}

/** A card as a screen reader says it. */
function spokenCard(point: number, card: Card): string {
  const rows = card.rows.filter(({ text }) => text).map(({ title, text }) => `${inline(title)} ${inline(text, 120)}`);
  const near = card.neighbors?.length ? [strings.nearestInTheDataIs(card.neighbors.map((n) => inline(n.name) || strings.point(n.point)).join(", "))] : [];
  return [strings.cardOf(inline(card.name) || strings.point(point)), ...rows, ...near].join("; ");
}
