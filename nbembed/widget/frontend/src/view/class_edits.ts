/** What can be done with a whole class: its look, its name, its place among the classes, merging and removing it. */
import { signal, type Signal } from "@preact/signals";
import type { Store } from "../state/store";
import type { CommandArguments } from "../wire/wire.generated";
import * as strings from "../strings";

/** What the edits need of their view. */
interface Host {
  say: (message: string) => void;
  able: () => boolean;
  /** The name of the chosen class. */
  chosen: Signal<string>;
}

type Look = Omit<CommandArguments["style_class"], "name" | "place">;

export class ClassEdits {
  /** Whether the panel of the chosen class is open. */
  readonly open = signal(false);
  /** The name of the class that is being renamed, or null. */
  readonly renaming = signal<string | null>(null);

  constructor(
    private readonly store: Store,
    private readonly host: Host,
  ) {}

  /** The names of the classes whose points are not shown. */
  get hidden(): Set<string> {
    return new Set(this.store.traits.classes.value.filter((c) => c.hidden).map(({ name }) => name));
  }

  /** Give a class another color or shape, hide its points or show them again. */
  style(name: string, look: Look): void {
    if (!this.host.able()) return;
    void this.store.commands.send("style_class", { name, ...look }, []);
    if (look.hidden !== undefined) this.host.say(look.hidden ? strings.classHidden(name) : strings.classShown(name));
    else this.host.say(look.symbol ? strings.classHasShape(name, look.symbol) : strings.classHasColor(name));
  }

  /** Show the points of all classes. */
  showAll(): void {
    for (const name of this.hidden) this.style(name, { hidden: false });
  }

  /** Move a class in the list, and with it its key. */
  move(name: string, by: 1 | -1): void {
    const { classes } = this.store.traits;
    const to = (classes.peek().find((c) => c.name === name)?.place ?? -1) + by;
    if (to < 0 || to >= classes.peek().length || !this.host.able()) return;
    void this.store.commands.send("style_class", { name, place: to }, []);
    this.host.say(strings.classHasPlace(name, to + 1, classes.peek().length));
  }

  rename(old: string, name: string): void {
    this.renaming.value = null;
    const trimmed = name.trim();
    if (!trimmed || trimmed === old || !this.host.able()) return;
    void this.store.commands.send("rename_class", { old, new: trimmed }, []);
    this.host.say(strings.classRenamed(old, trimmed));
  }

  /** Make the points of one class points of another. */
  merge(old: string, into: string): void {
    if (!this.host.able()) return;
    void this.store.commands.send("merge_classes", { old, into }, []);
    this.host.say(strings.classMerged(old, into));
    if (this.host.chosen.peek() === old) this.host.chosen.value = into;
  }

  /** Remove a class and take back its labels. */
  remove(name: string): void {
    if (!this.host.able()) return;
    void this.store.commands.send("remove_class", { name }, []);
    this.host.say(strings.classRemoved(name));
    this.open.value = false;
  }
}
