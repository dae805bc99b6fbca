/**
 * Comparing the map with another one: a snapshot, or a second live map on the same labels. A snapshot
 * can stand in place of the present map, too, so that two of them are compared. What is
 * compared, and how, is a trait; the places of the other map and the change of neighborhoods are asked
 * for while there is a comparison, no more often than one can see.
 */
import { batch, computed, effect, signal, type ReadonlySignal } from "@preact/signals";
import { inline } from "./cards";
import { Setters } from "../wire/commands";
import { extentOf } from "./camera";
import { Answers } from "../wire/queries";
import type { Store } from "./store";
import { short } from "./numbers";
import { positionsOf } from "../wire/wire";
import type { CommandArguments, CommandName, CommandPoints, CompareView, Control, QueryAnswers } from "../wire/wire.generated";
import * as strings from "../strings";

/** Size of the neighborhoods that are compared. */
export const NEIGHBORS = 10;
/** Milliseconds between questions: for a live map, one that is not there yet, and while only the first map moves. */
const LIVE = 125;
const AWAITED = 500;
const MOVING = 1000;
/** Share of the points that "most changed" selects. */
const MOST = 0.1;
/** Stands for the second live map where a snapshot's name could be. */
const SECOND = "";

type Values = Readonly<Record<string, number | null>>;

/** Calls a function soon, but at least so many milliseconds after the last time. */
class Pacer {
  private timer: ReturnType<typeof setTimeout> | undefined;
  private last = -Infinity;

  constructor(private readonly act: () => void) {}

  due(gap: number): void {
    if (this.timer !== undefined) return;
    this.timer = setTimeout(() => {
      this.timer = undefined;
      this.last = performance.now();
      this.act();
    }, Math.max(0, this.last + gap - performance.now()));
  }

  stop(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
    this.last = -Infinity;
  }
}

export class Compare {
  readonly beside: Answers<"map_beside">;
  /** The snapshot that stands in place of the present map. */
  readonly first: Answers<"map_beside">;
  readonly changes: Answers<"map_change">;
  readonly thumbnails: Answers<"thumbnails">;
  /** Share of the other map in a blend. */
  readonly share = signal(0.5);
  /** Where the points are on the other map, in the coordinates of this one; null without one. */
  readonly places: ReadonlySignal<Float32Array | null>;
  /** Where they are on the snapshot that stands in place of the present map; null without one. */
  readonly ground: ReadonlySignal<Float32Array | null>;
  /** Corners of the maps that are compared, so that both stay in view. */
  readonly corners: ReadonlySignal<{ x: number; y: number }[]>;
  /** The share of the other map that the first one shows. */
  readonly blended: ReadonlySignal<number>;
  /** The change of each point in 255ths, if the points are colored by it. */
  readonly tint: ReadonlySignal<Uint8Array | null>;
  /** What the other map is called. */
  readonly title: ReadonlySignal<string>;
  /** What the first map is called. */
  readonly firstTitle: ReadonlySignal<string>;
  private readonly asking = new Pacer(() => this.askPlaces());
  private readonly measuring = new Pacer(() => this.askChanges());
  private readonly setters: Setters;
  private readonly off: (() => void)[];
  /** The names of the two maps whose answers there are. */
  private pair = "";
  /** The snapshots that there were when they were asked for. */
  private taken: readonly unknown[] = [];

  constructor(
    private readonly store: Store,
    private readonly host: {
      say: (message: string) => void;
      able: () => boolean;
      select: (points: Uint32Array) => void;
    },
  ) {
    const { compared, second, snapshots, state, method, parameters, controls } = store.traits;
    this.setters = new Setters(store.link, (name, value, at) => store.commands.send("set_second", { [name]: value }, [], at));
    this.beside = new Answers(store.queries, "map_beside");
    this.first = new Answers(store.queries, "map_beside");
    this.changes = new Answers(store.queries, "map_change");
    this.thumbnails = new Answers(store.queries, "thumbnails");
    this.places = computed(() => (compared.value ? placesOf(this.beside.value.value) : null));
    this.ground = computed(() => {
      const found = compared.value?.onto ? placesOf(this.first.value.value) : null;
      return found?.length === 2 * store.traits.n_samples.value ? found : null;
    });
    this.corners = computed(() => {
      const extents = [this.places.value, this.ground.value].map((places) => places && extentOf(places));
      return extents.flatMap((extent) => (extent ? [{ x: extent.left, y: extent.bottom }, { x: extent.right, y: extent.top }] : []));
    });
    this.blended = computed(() => (compared.value?.view === "blend" ? this.share.value : 0));
    this.tint = computed(() => {
      const codes = compared.value?.by_change ? this.changes.value.value?.change : undefined;
      return codes?.length === store.traits.n_samples.value ? codes : null;
    });
    this.title = computed(() => {
      const snapshot = compared.value?.snapshot ?? SECOND;
      if (snapshot !== SECOND) return inline(snapshot, 40);
      return second.value ? strings.secondMapMethod(second.value.method, differing(second.value.controls, second.value.parameters, parameters.value)) : strings.secondMapInline;
    });
    this.firstTitle = computed(() => {
      if (compared.value?.onto) return inline(compared.value.onto, 40);
      const others = compared.value?.snapshot === SECOND ? (second.value?.parameters ?? {}) : {};
      return strings.presentMap(method.value, differing(controls.value, parameters.value, others));
    });
    this.off = [
      effect(() => {
        const now = compared.value;
        void [store.layout.value, state.value, second.value, snapshots.value];
        const pair = now ? JSON.stringify([now.snapshot, now.onto]) : "";
        if (pair !== this.pair) this.begin(pair);
        if (!now) return;
        // Two snapshots stay as they are, whatever the present map does.
        const known = now.onto && this.beside.value.peek() && this.first.value.peek() && this.taken === snapshots.value;
        this.taken = snapshots.value;
        if (known && !(now.by_change && !this.changes.value.peek())) return;
        this.asking.due(state.value === "running" ? MOVING : LIVE);
        if (now.by_change) this.measuring.due(MOVING);
      }),
      effect(() => {
        const found = this.beside.value.value;
        if (compared.value?.snapshot === SECOND && second.value?.state === "running") this.asking.due(found?.version ? LIVE : AWAITED);
      }),
    ];
  }

  destroy(): void {
    for (const off of this.off) off();
    this.asking.stop();
    this.measuring.stop();
  }

  /** Take a snapshot; without a name it gets the next number. False if there is one of that name. */
  take(name: string): boolean {
    const wanted = name.trim();
    if (this.store.traits.snapshots.peek().some((known) => known.name === wanted)) {
      this.host.say(strings.snapshotExists(inline(wanted)));
      return false;
    }
    this.give("snapshot", wanted ? { name: wanted } : {}, [], strings.snapshotTaken);
    return true;
  }

  restore(name: string): void {
    this.give("restore", { name }, [], strings.backAtSnapshot(inline(name)));
  }

  /** Compare with a snapshot the present map, or another snapshot. */
  withSnapshot(snapshot: string, onto: string = this.store.traits.compared.peek()?.onto ?? ""): void {
    this.give("compare", { snapshot, onto: onto === snapshot ? "" : onto }, [], strings.comparedWith(inline(snapshot)));
  }

  /** Give a snapshot another name. False if there is another one of that name. */
  rename(old: string, name: string): boolean {
    const wanted = name.trim();
    if (!wanted || wanted === old) return true;
    if (this.store.traits.snapshots.peek().some((known) => known.name === wanted)) {
      this.host.say(strings.snapshotExists(inline(wanted)));
      return false;
    }
    this.give("rename_snapshot", { old, new: wanted }, [], strings.snapshotRenamed(inline(old), inline(wanted)));
    return true;
  }

  delete(name: string): void {
    this.give("delete_snapshot", { name }, [], strings.snapshotDeleted(inline(name)));
  }

  /** Compare with a second live map; one that is there goes on with the method. */
  withMethod(method: string): void {
    this.give("compare_live", { method }, [], strings.secondMapMade(method));
  }

  end(): void {
    this.give("end_comparison", {}, [], strings.oneMap);
  }

  show(view: CompareView, byChange: boolean): void {
    this.give("show_comparison", { view, by_change: byChange }, []);
  }

  setSecond(name: string, value: number): void {
    if (!this.host.able()) return;
    this.setters.set(name, value);
  }

  waits(name: string): boolean {
    return this.setters.waits(name);
  }

  resetSecond(): void {
    this.give("reset_second", {}, [], strings.secondMapStartsAgain);
  }

  takeOver(): void {
    this.give("take_over_second", {}, [], strings.secondMapTakenOver);
  }

  /** Select the points whose neighborhoods changed most. */
  selectChanged(): void {
    const codes = this.changes.value.peek()?.change;
    if (!codes?.length) return;
    const order = Uint32Array.from(codes, (_, i) => i).filter((i) => codes[i] > 0);
    order.sort((i, j) => codes[j] - codes[i]);
    this.host.select(order.slice(0, Math.ceil(MOST * codes.length)).sort());
  }

  private give<N extends CommandName>(name: N, args: CommandArguments[N], points: CommandPoints[N], said = ""): void {
    if (!this.host.able()) return;
    void this.store.commands.send(name, args, points).then((reply) => reply.ok && said && this.host.say(said));
  }

  /** Forget what was known of another map. */
  private begin(pair: string): void {
    this.pair = pair;
    this.asking.stop();
    this.measuring.stop();
    batch(() => {
      this.beside.clear();
      this.first.clear();
      this.changes.clear();
    });
  }

  private askPlaces(): void {
    const compared = this.store.traits.compared.peek();
    if (!compared) return;
    if (!this.store.visible()) return this.asking.due(MOVING);
    const { snapshot, onto } = compared;
    this.beside.ask({ snapshot, onto }, []);
    if (onto) this.first.ask({ snapshot: onto, onto }, []);
  }

  private askChanges(): void {
    const compared = this.store.traits.compared.peek();
    if (!compared?.by_change) return;
    if (this.store.visible()) this.changes.ask({ snapshot: compared.snapshot, onto: compared.onto, k: NEIGHBORS }, []);
    else this.measuring.due(MOVING);
  }
}

/** The parameters that another map has with other values, as the end of a title. */
function differing(controls: readonly Control[], values: Values, others: Values): string {
  return controls
    .flatMap(({ name, symbol }) => {
      const [value, other] = [values[name], others[name]];
      return typeof value === "number" && typeof other === "number" && value !== other ? `, ${symbol.replace("_", "")} ${short(value)}` : "";
    })
    .join("");
}

function placesOf(found: QueryAnswers["map_beside"] | null): Float32Array | null {
  if (!found?.positions.length) return null;
  const { buffer, byteOffset, byteLength } = found.positions;
  return positionsOf(new DataView(buffer, byteOffset, byteLength), found.range.length ? found.range : undefined);
}
