/**
 * Groups that the data suggest, named one after the other: the largest first. An accepted group is an
 * ordinary label of its points; the groups themselves are known to this view alone.
 */
import { computed, effect, signal, untracked, type ReadonlySignal } from "@preact/signals";
import { Answers } from "../wire/queries";
import { RESOLUTION, type QueryAnswers } from "../wire/wire.generated";
import { inline } from "./cards";
import type { Store } from "./store";
import * as strings from "../strings";

interface SuggestedGroup {
  id: number;
  points: Uint32Array;
  color: string;
  typical: number[];
  border: number[];
  /** The groups of answers that it was made of, and those that lie near it, by numbers that do not recur. */
  parts: number[];
  nearest: number[];
}

/** Groups as the map shows them: that of each point, −1 for none, and their colors. */
export interface GroupColors {
  codes: Int32Array;
  colors: string[];
}

/** The parts of a view that the walk uses. */
interface Host {
  say: (message: string) => void;
  able: () => boolean;
  /** Label points as a person does; whether they were. */
  label: (points: Uint32Array, name: string) => Promise<boolean>;
  /** Open the panel of the walk. */
  reveal: () => void;
}

type Description = QueryAnswers["describe"];

/** How the history says that points were chosen. */
const BY = "suggested group";
/** The resolution up to which a group is tried to be split. */
const FINEST = 16;
/** Points that a card shows of each kind. */
const LISTED = 3;

export class GroupWalk {
  readonly resolution = signal<number>(RESOLUTION);
  readonly found: Answers<"suggest_groups">;
  readonly description: Answers<"describe">;
  readonly groups = signal<SuggestedGroup[]>([]);
  /** The group that is to be named. */
  readonly current: ReadonlySignal<SuggestedGroup | null>;
  /** The colors of the map during the walk. */
  readonly colors: ReadonlySignal<GroupColors | null>;
  readonly name = signal("");
  /** Counts how often the field of the name has been asked for. */
  readonly focus = signal(0);
  readonly open = signal(false);
  private readonly parts: Answers<"suggest_groups">;
  /** The groups that are done: the name of each, "" for none. */
  private readonly done = signal<ReadonlyMap<number, string>>(new Map());
  private last = -1;
  private counter = 0;
  private readonly off: () => void;

  constructor(
    private readonly store: Store,
    private readonly host: Host,
  ) {
    this.found = new Answers(store.queries, "suggest_groups");
    this.parts = new Answers(store.queries, "suggest_groups");
    this.description = new Answers(store.queries, "describe");
    this.current = computed(() => {
      if (!this.open.value) return null;
      return this.groups.value.find((group) => !this.done.value.has(group.id) && this.unlabeled(group).length > 0) ?? null;
    });
    this.colors = computed(() => {
      const groups = this.groups.value;
      if (!this.open.value || !groups.length) return null;
      const codes = new Int32Array(store.traits.n_samples.value).fill(-1);
      groups.forEach(({ points }, k) => points.forEach((i) => (codes[i] = k)));
      return { codes, colors: groups.map(({ color }) => color) };
    });
    let before: SuggestedGroup | null = null;
    this.off = effect(() => {
      const group = this.current.value;
      if (group === before) return;
      before = group;
      if (group) untracked(() => this.show(group));
    });
  }

  destroy(): void {
    this.off();
  }

  get walking(): boolean {
    return this.open.peek();
  }

  /** How many groups are done, and how many there are. */
  get place(): [number, number] {
    const groups = this.groups.value;
    return [groups.filter((group) => this.done.value.has(group.id) || !this.unlabeled(group).length).length, groups.length];
  }

  start(): void {
    if (!this.host.able()) return;
    this.open.value = true;
    this.host.reveal();
    this.host.say(strings.findingGroups);
    this.regroup();
  }

  /** Find the groups anew. */
  regroup(resolution = this.resolution.peek()): void {
    this.resolution.value = resolution;
    this.found.ask({ resolution }, [new Uint32Array(0)], (answer) => {
      if (!this.open.peek()) return;
      this.done.value = new Map();
      this.groups.value = this.read(answer);
      this.host.say(strings.groupsSuggested(strings.count(this.groups.peek().length, "group")));
      this.endIfOver();
    });
  }

  stop(): void {
    if (this.found.pending.peek() || this.parts.pending.peek()) void this.store.commands.send("cancel", { what: "groups" }, []);
    for (const answers of [this.found, this.parts, this.description]) answers.clear();
    this.open.value = false;
    this.groups.value = [];
    this.store.select(new Uint32Array(0));
    this.host.say(strings.noMoreGroups);
  }

  /** Label the points of the group that have no label yet. */
  accept(): void {
    const group = this.current.peek();
    const name = this.name.peek().trim();
    if (!group || !this.host.able()) return;
    if (!name) {
      this.host.say(strings.typeANameForTheGroup);
      this.focus.value++;
      return;
    }
    const { id } = group;
    this.last = id;
    void this.host.label(this.unlabeled(group), name).then((ok) => ok || this.reopen(id));
    this.pass(id, name);
  }

  /** Leave the group without labels. */
  skip(): void {
    const group = this.current.peek();
    if (!group) return;
    this.host.say(strings.leftWithoutALabel);
    this.pass(group.id, "");
  }

  /** The last label was undone: its group is to be named again. */
  undone(): void {
    if (this.last >= 0) this.reopen(this.last);
    this.last = -1;
  }

  /** Divide the group by its own neighbors alone, as coarsely as that is possible. */
  split(resolution = this.resolution.peek()): void {
    const group = this.current.peek();
    if (!group || !this.host.able()) return;
    this.parts.ask({ resolution }, [group.points], (answer) => {
      if (this.current.peek()?.id !== group.id) return;
      if (answer.colors.length < 2) {
        if (resolution < FINEST) this.split(2 * resolution);
        else this.host.say(strings.thisGroupCannotBeSplit);
        return;
      }
      const others = this.groups.peek().filter(({ id }) => id !== group.id);
      const made = this.read(answer).map((part, k) => ({
        ...part,
        color: k === 0 ? group.color : this.fresh(k),
        parts: k === 0 ? [...part.parts, ...group.parts] : part.parts,
        nearest: [...part.nearest, ...group.nearest],
      }));
      this.groups.value = bySize([...others, ...made]);
      this.host.say(strings.splitInto(made.length));
    });
  }

  /** Join the group with the nearest one; where that one has a name already, propose this name. */
  merge(): void {
    const group = this.current.peek();
    if (!group) return;
    const near = group.nearest.map((part) => this.groups.peek().find(({ parts }) => parts.includes(part))).filter((g) => g && g.id !== group.id && this.done.peek().get(g.id) !== "");
    const other = near[0];
    if (!other) {
      this.host.say(strings.noGroupLiesNear);
      return;
    }
    const name = this.done.peek().get(other.id);
    if (name) {
      this.name.value = name;
      this.host.say(strings.nearestGroupIs(name));
      return;
    }
    const [large, small] = group.points.length < other.points.length ? [other, group] : [group, other];
    const made: SuggestedGroup = {
      id: this.counter++,
      points: Uint32Array.from([...large.points, ...small.points]).sort(),
      color: large.color,
      typical: [...large.typical, ...small.typical].slice(0, LISTED),
      border: [...small.border, ...large.border].slice(0, LISTED),
      parts: [...large.parts, ...small.parts],
      nearest: [...large.nearest, ...small.nearest],
    };
    this.groups.value = bySize([...this.groups.peek().filter((g) => g !== group && g !== other), made]);
    this.host.say(strings.groupsMerged(strings.count(made.points.length)));
  }

  private unlabeled({ points }: SuggestedGroup): Uint32Array {
    const labels = this.store.traits.label_codes.value;
    return points.filter((i) => !(labels[i] >= 0));
  }

  private pass(id: number, name: string): void {
    this.done.value = new Map(this.done.peek()).set(id, name);
    this.endIfOver();
  }

  private endIfOver(): void {
    if (this.current.peek() || !this.open.peek()) return;
    this.stop();
    this.host.say(strings.allGroupsAreDone);
  }

  private reopen(id: number): void {
    const done = new Map(this.done.peek());
    if (done.delete(id)) this.done.value = done;
  }

  /** Select a group, and propose a name once it is known what distinguishes it. */
  private show(group: SuggestedGroup): void {
    const points = this.unlabeled(group);
    const first = this.ordinal(group);
    this.name.value = first;
    this.store.select(points, BY);
    for (const point of [...group.typical, ...group.border]) this.store.cards.ask(point);
    this.description.clear();
    this.description.ask({ sort: "effect", features: 12, words: 12, values: 12 }, [points, new Uint32Array(0)], (found) => {
      if (this.current.peek()?.id !== group.id) return;
      const proposed = this.unused(proposal(found) || first);
      if (this.name.peek() === first) this.name.value = proposed;
      const [place, all] = this.place;
      this.host.say(strings.groupSpoken(place + 1, all, strings.count(points.length), proposed));
    });
  }

  private ordinal(group: SuggestedGroup): string {
    return this.unused(strings.groupNumber(this.groups.peek().indexOf(group) + 1));
  }

  /** The name, with a number if a class has it already: two groups are one class only if a person says so. */
  private unused(name: string): string {
    const names = new Set(this.store.traits.classes.peek().map((c) => c.name));
    for (const given of this.done.peek().values()) names.add(given);
    let [text, k] = [name, 1];
    while (names.has(text)) text = `${name} ${++k}`;
    return text;
  }

  /** A color that no group before it has, as far as there are any. */
  private fresh(k: number): string {
    const colors = this.found.value.peek()?.colors ?? [];
    const used = this.groups.peek().length + k - 1;
    return colors[used % Math.max(1, colors.length)] ?? "";
  }

  private read({ codes, colors, typical, border, nearest }: QueryAnswers["suggest_groups"]): SuggestedGroup[] {
    const base = this.counter;
    this.counter += colors.length;
    const members = colors.map((): number[] => []);
    codes.forEach((code, i) => code >= 0 && members[code].push(i));
    return colors.map((color, k) => ({
      id: base + k,
      points: Uint32Array.from(members[k]),
      color,
      typical: typical[k],
      border: border[k],
      parts: [base + k],
      nearest: nearest[k].map((other) => base + other),
    }));
  }
}

function bySize(groups: SuggestedGroup[]): SuggestedGroup[] {
  return groups.sort((a, b) => b.points.length - a.points.length || a.id - b.id);
}

/** Letters of a part of a name, and parts. */
const [LETTERS, PARTS] = [24, 2];
/** How much a column of categories must go with the group for a value to name it. */
const ASSOCIATED = 0.3;

/** A name of a group from its strongest differences: words, else a category, else features with a sign; "" if it has none. */
export function proposal({ words, categories, features }: Pick<Description, "words" | "categories" | "features">): string {
  const short = (text: string): string => inline(text, LETTERS);
  if (words.length) return words.slice(0, PARTS).map(({ name }) => short(name)).join(" ");
  const column = categories.find(({ title, association }) => title !== "label" && association >= ASSOCIATED);
  const value = column?.values.find(({ lift, share }) => lift > 1 && share >= 0.5);
  if (value?.name) return short(value.name);
  const larger = features.filter((feature) => feature.larger);
  return (larger.length ? larger : features).slice(0, PARTS).map((f) => `${short(f.title)}${f.larger ? "+" : "−"}`).join(" ");
}
