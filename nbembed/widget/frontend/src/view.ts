/**
 * The state of one view (tool, chosen class, confidence, announcements) and the actions that buttons
 * and keys share. What outlives the view is in the store or in the kernel.
 */
import { computed, signal, type ReadonlySignal } from "@preact/signals";
import { Latest } from "./commands";
import { combine, type Combine } from "./map/pick";
import type { PointMap, Tool } from "./map/map";
import { Questions } from "./questions";
import type { Store } from "./store";
import type { ColorMode, CommandArguments, CommandName, CommandPoints } from "./wire.generated";

const few = (n: number, what = "point"): string => `${n} ${what}${n === 1 ? "" : "s"}`;

export class View {
  readonly tool = signal<Tool>("pan");
  readonly chosenClass = signal(0);
  readonly confidence = signal(1);
  readonly helpOpen = signal(false);
  /** The name being typed for a new class, or null. */
  readonly newClass = signal<string | null>(null);
  readonly renaming = signal<number | null>(null);
  /** The first group of a cannot-link while the second is being selected. */
  readonly apart = signal<Uint32Array | null>(null);
  /** Announced by the live region, for screen readers. */
  readonly spoken = signal("");
  readonly map = signal<PointMap | null>(null);
  readonly questions: Questions;
  readonly counts: ReadonlySignal<number[]>;
  readonly running: ReadonlySignal<boolean>;
  /** Whether all selected points are pinned; the pin button then unpins them. */
  readonly held: ReadonlySignal<boolean>;
  private readonly setters = new Map<string, Latest<number>>();
  private readonly pathScrub: Latest<number>;
  private labelAfterNaming = false;
  /** Names of new classes, by index, until the kernel lists them: points can be labeled before that. */
  private readonly coming = new Map<number, string>();

  constructor(readonly store: Store) {
    this.pathScrub = new Latest((index, at) => store.commands.send("show_path_step", { index }, [], at));
    this.questions = new Questions(store, {
      say: (message) => this.say(message),
      able: () => this.able(),
      label: (point, name) => this.label(Uint32Array.of(point), name),
      show: (point) => this.map.peek()?.bringIntoView(point),
    });
    this.running = computed(() => store.traits.state.value === "running" && store.link.state.value !== "gone");
    this.held = computed(() => {
      const pinned = new Set(store.traits.pinned.value);
      const points = store.traits.selection.value;
      return points.length > 0 && points.every((i) => pinned.has(i));
    });
    this.counts = computed(() => {
      const counts = store.traits.classes.value.map(() => 0);
      for (const label of store.traits.label_codes.value) if (label >= 0 && label < counts.length) counts[label]++;
      return counts;
    });
  }

  destroy(): void {
    this.questions.destroy();
  }

  say(message: string): void {
    // Screen readers announce a repeated message only if its text differs.
    this.spoken.value = this.spoken.peek() === message ? message + "\u00a0" : message;
  }

  /** Whether commands can be carried out; if not, says so. */
  able(): boolean {
    if (this.store.link.state.peek() !== "gone") return true;
    this.say("Not possible: the kernel is gone");
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

  undo(): void {
    const text = this.store.traits.undo.peek();
    if (text) this.give("undo", {}, [], `Undone: ${text}`);
  }

  redo(): void {
    const text = this.store.traits.redo.peek();
    if (text) this.give("redo", {}, [], `Redone: ${text}`);
  }

  choose(tool: Tool): void {
    this.tool.value = tool;
    this.say(tool === "lasso" ? "Lasso tool" : "Pan tool");
  }

  set(name: string, value: number): void {
    if (!this.able()) return;
    let setter = this.setters.get(name);
    if (!setter) {
      setter = new Latest<number>((v, at) => this.store.commands.send("set", { [name]: v }, [], at));
      this.setters.set(name, setter);
    }
    setter.push(value);
  }

  switchMethod(method: string): void {
    this.give("switch", { method }, []);
    this.map.peek()?.fitView();
  }

  colorBy(mode: ColorMode): void {
    this.give("color_by", { mode }, []);
  }

  movePath(index: number): void {
    if (!this.able()) return;
    this.pathScrub.push(index);
  }

  select(points: Uint32Array, how: Combine): void {
    const before = this.store.traits.selection.peek();
    const after = combine(before, points, how);
    if (after.length === 0 && before.length === 0) return;
    this.store.select(after);
    this.say(after.length ? `${few(after.length)} selected` : "Selection cleared");
  }

  selectAll(): void {
    this.select(Uint32Array.from({ length: this.store.traits.n_samples.peek() }, (_, i) => i), "replace");
  }

  clearSelection(): void {
    this.select(new Uint32Array(0), "replace");
  }

  selectClass(index: number): void {
    const points: number[] = [];
    this.store.traits.label_codes.peek().forEach((label, i) => label === index && points.push(i));
    this.select(Uint32Array.from(points), "replace");
  }

  chooseClass(index: number): void {
    const known = this.store.traits.classes.peek()[index];
    if (!known) return;
    this.chosenClass.value = index;
    this.say(`Class ${known.name}`);
  }

  labelSelection(): void {
    const { store } = this;
    const points = store.traits.selection.peek();
    if (!points.length) {
      this.say("Select points first: with the lasso, or with the arrow keys and Space on the map");
      return;
    }
    const index = this.chosenClass.peek();
    const chosen = store.traits.classes.peek()[index]?.name ?? this.coming.get(index);
    if (chosen === undefined) {
      this.labelAfterNaming = true;
      this.newClass.value = "";
      return;
    }
    this.label(points, chosen);
  }

  mustLink(): void {
    const points = this.store.traits.selection.peek();
    if (points.length < 2) {
      this.say("Select at least two points to link");
      return;
    }
    this.give("must_link", {}, [points], `${few(points.length)} must-linked`);
  }

  /** Pin the selected points, or unpin them if all are pinned. */
  pin(): void {
    const points = this.store.traits.selection.peek();
    if (!points.length) {
      this.say("Select the points to pin first");
      return;
    }
    const held = this.held.peek();
    this.give(held ? "unpin" : "pin", {}, [points], `${few(points.length)} ${held ? "unpinned" : "pinned"}`);
  }

  /** Choose the first group of a cannot-link, then the second. */
  keepApart(): void {
    const points = this.store.traits.selection.peek();
    const first = this.apart.peek();
    if (!points.length) {
      this.say(first ? `Select the points to keep apart from the ${first.length} selected before` : "Select the first group of points to keep apart");
      return;
    }
    if (!first) {
      this.apart.value = points;
      this.clearSelection();
      this.say(`${few(points.length)} in the first group. Select the second group, then keep apart; Escape cancels`);
      return;
    }
    const one = new Set(first);
    if (points.some((i) => one.has(i))) {
      this.say("A point cannot be kept apart from itself: select a second group without points of the first");
      return;
    }
    this.apart.value = null;
    this.give("cannot_link", {}, [first, points], `${few(first.length)} kept apart from ${few(points.length)}`);
  }

  cancelApart(): void {
    this.apart.value = null;
    this.say("Keeping apart canceled");
  }

  forget(): void {
    const points = this.store.traits.selection.peek();
    if (!points.length) {
      this.say("Select the points to forget first");
      return;
    }
    this.give("forget", {}, [points], `Labels, links and pins of ${few(points.length)} removed`);
  }

  async addClass(name: string): Promise<void> {
    const trimmed = name.trim();
    const label = this.labelAfterNaming;
    this.cancelNewClass();
    if (!trimmed || !this.able()) return;
    const known = this.store.traits.classes.peek().findIndex((c) => c.name === trimmed);
    if (known >= 0) {
      this.chosenClass.value = known;
    } else {
      // The new class will be the last in the kernel's list.
      const index = this.store.traits.classes.peek().length + this.coming.size;
      this.coming.set(index, trimmed);
      this.chosenClass.value = index;
      const reply = await this.store.commands.send("add_class", { name: trimmed }, []);
      if (!reply.ok) {
        this.coming.delete(index);
        return;
      }
      const stop = this.store.traits.classes.subscribe((known) => {
        if (known.length <= index) return;
        this.coming.delete(index);
        queueMicrotask(() => stop());
      });
      this.say(`Class ${trimmed} added`);
    }
    const points = this.store.traits.selection.peek();
    if (label && points.length) this.label(points, trimmed);
  }

  cancelNewClass(): void {
    this.newClass.value = null;
    this.labelAfterNaming = false;
  }

  renameClass(index: number, name: string): void {
    this.renaming.value = null;
    const old = this.store.traits.classes.peek()[index]?.name;
    const trimmed = name.trim();
    if (old === undefined || !trimmed || trimmed === old) return;
    this.give("rename_class", { old, new: trimmed }, [], `Class ${old} is now ${trimmed}`);
  }

  private label(points: Uint32Array, name: string): void {
    const confidence = this.confidence.peek();
    this.give("label", { class: name, confidence }, [points], `${few(points.length)} labeled as ${name} with confidence ${confidence}`);
  }
}
