/**
 * What all views of one Explorer share: the traits as signals, the newest frame, and the
 * acknowledgments. Made once by `initialize`; views read it and keep no copy.
 */
import { batch, computed, effect, signal, type ReadonlySignal, type Signal } from "@preact/signals";
import { Acknowledgments } from "../wire/acknowledgments";
import { Cards } from "./cards";
import { Commands, type Effect } from "../wire/commands";
import { CostHistory } from "./history";
import { Link } from "../wire/link";
import { OwnChanges } from "../wire/own_changes";
import { Polling } from "../wire/polling";
import { Queries } from "../wire/queries";
import { countChanges } from "../wire/reactive";
import { same } from "./pick";
import { Thumbnails } from "./thumbnails";
import { NO_SUGGESTIONS, readSuggestions, type Suggestions } from "./suggestions";
import { positionsOf, readTrait, stepOf, TRAIT_NAMES, typedArray, type Model, type TraitName } from "../wire/wire";
import { FRAME_TRAITS, type FrameMessage, type MessageToPage, type Traits } from "../wire/wire.generated";

/** A signal for each trait. */
type TraitSignals = { readonly [K in TraitName]: Signal<Traits[K]> };

/** A named place on the map beside the points: the center of a class. */
export interface Center {
  x: number;
  y: number;
  name: string;
  color: string;
}

/** One layout to draw, and how it came. */
export interface Layout {
  positions: Float32Array;
  /** Step of the 16-bit numbers that the positions came as, in data units; 0 in full precision. */
  step: number;
  /** RGBA for each point, or empty: colors by class probability. */
  membershipColors: Uint8Array;
  version: number;
  /** 0 for a layout that came with the traits and is not acknowledged. */
  seq: number;
  applied: number;
  /** `performance.now()` when it reached the page. */
  arrivedAt: number;
  /** Whether it is anything but the next step of a run: a restored layout, for example. */
  fresh: boolean;
}

/** Milliseconds after which a frame is acknowledged even if it was not drawn. */
const HIDDEN_ACK = 250;
/** Milliseconds after which a view that was dropped counts as gone. */
const LAST_VIEW = 2000;

export class Store {
  readonly commands: Commands;
  readonly traits: TraitSignals;
  readonly layout: Signal<Layout>;
  readonly centers: ReadonlySignal<Center[]>;
  readonly costHistory = signal(new CostHistory());
  /** The kernel's reply to the last refused command, until the person dismisses it. */
  readonly refusal = signal("");
  /** What is suggested; nothing before a view shows suggestions. */
  readonly suggestions = signal<Suggestions>(NO_SUGGESTIONS);
  /** What is known of single points. */
  readonly cards: Cards;
  readonly queries: Queries;
  /** Small images of points. */
  readonly thumbnails: Thumbnails;
  /** Whether the kernel is there. */
  readonly link: Link;

  private readonly views = new Map<object, boolean>();
  private readonly suggestionViews = new Set<object>();
  private readonly preciseViews = new Set<object>();
  private readonly acknowledgments = new Acknowledgments((seq) => this.commands.tell({ type: "ack", seq }));
  private readonly ownChanges = new OwnChanges(() => this.link);
  private readonly polling: Polling | null;
  private readonly cleanups: (() => void)[] = [];
  private reportedVisible: boolean | null = null;
  private reportedViews = 0;
  private viewsTimer: ReturnType<typeof setTimeout> | undefined;

  constructor(private readonly model: Model) {
    this.commands = new Commands(() => this.link, (message) => (this.refusal.value = message));
    this.cards = new Cards({
      inspect: (point) => this.tell({ type: "inspect", point }),
      naming: (points) => this.tell({ type: "naming", points }),
    });
    this.queries = new Queries(() => this.link, (query, buffers) => this.link.state.peek() !== "gone" && this.link.send({ type: "query", client: this.commands.client, ...query }, buffers));
    this.thumbnails = new Thumbnails(this.queries);
    this.link = new Link(model, () => this.greet(), () => {
      this.commands.abandon();
      this.queries.abandon();
    });
    this.traits = this.follow(model);
    this.layout = signal(this.restored());
    this.centers = computed(() => {
      const { centers, center_names: names, center_colors: colors } = this.traits;
      return centers.value.map(([x, y], k) => ({ x, y, name: names.value[k] ?? String(k + 1), color: colors.value[k] ?? "" }));
    });
    this.followLayout();
    this.followCostHistory();
    if (this.traits.reactive.peek()) this.cleanups.push(countChanges(model, this.traits));
    const forget = () => this.cards.forget();
    const renew = () => this.cards.renew();
    model.on("change:quality_metric", forget);
    model.on("change:label_codes", renew);
    const receive = (message: MessageToPage, buffers: DataView[]) => this.receive(message, buffers);
    model.on("msg:custom", receive);
    const visibility = () => this.report();
    const leave = () => this.commands.tell({ type: "bye" });
    const back = (event: PageTransitionEvent) => event.persisted && this.greet();
    document.addEventListener("visibilitychange", visibility);
    window.addEventListener("pagehide", leave);
    window.addEventListener("pageshow", back);
    this.cleanups.push(
      () => model.off("msg:custom", receive),
      () => model.off("change:quality_metric", forget),
      () => model.off("change:label_codes", renew),
      () => document.removeEventListener("visibilitychange", visibility),
      () => window.removeEventListener("pagehide", leave),
      () => window.removeEventListener("pageshow", back),
    );
    this.greet();
    const moving = () => this.traits.state.peek() === "running" || this.commands.unanswered;
    this.polling = this.traits.polled.peek() ? new Polling(() => this.poll(), moving, () => this.visible()) : null;
  }

  private poll(): void {
    if (this.link.state.peek() !== "gone") this.commands.tell({ type: "poll" });
  }

  /** Tell the kernel all that it should know of this page; it answers. */
  private greet(): void {
    this.commands.tell({ type: "hello" });
    if (this.reportedVisible !== null) this.commands.tell({ type: "visible", visible: this.reportedVisible });
    if (this.reportedViews) this.commands.tell({ type: "views", count: this.reportedViews });
    if (this.suggestionViews.size) this.commands.tell({ type: "suggesting", shown: true });
    if (this.preciseViews.size) this.commands.tell({ type: "precision", full: true });
  }

  destroy(): void {
    clearTimeout(this.viewsTimer);
    this.polling?.destroy();
    this.acknowledgments.destroy();
    if (this.link.state.peek() !== "gone") this.commands.tell({ type: "bye" });
    for (const cleanup of this.cleanups) cleanup();
    this.link.destroy();
  }

  /** A view says whether it is on screen; the kernel sends no frames while none is. */
  setVisible(view: object, visible: boolean | null): void {
    if (visible === null) this.views.delete(view);
    else this.views.set(view, visible);
    this.report();
    // A cell that is moved drops its views and makes them again: fewer views must last.
    clearTimeout(this.viewsTimer);
    if (this.views.size > this.reportedViews) this.reportViews();
    else this.viewsTimer = setTimeout(() => this.reportViews(), LAST_VIEW);
  }

  /** A view says whether it shows suggestions; the kernel makes none while none does. */
  showSuggestions(view: object, shown: boolean): void {
    const before = this.suggestionViews.size > 0;
    if (shown) this.suggestionViews.add(view);
    else this.suggestionViews.delete(view);
    const now = this.suggestionViews.size > 0;
    if (now !== before && this.link.state.peek() !== "gone") this.commands.tell({ type: "suggesting", shown: now });
  }

  /** A view says whether it is zoomed in so far that 16-bit positions would be seen to be rounded. */
  needPrecision(view: object, full: boolean): void {
    if (full === this.preciseViews.has(view)) return;
    if (full) this.preciseViews.add(view);
    else this.preciseViews.delete(view);
    if (this.preciseViews.size === (full ? 1 : 0) && this.link.state.peek() !== "gone") this.commands.tell({ type: "precision", full });
  }

  /** A view has drawn a layout: acknowledge it, and return the requests that it shows. */
  drawn(layout: Layout): Effect[] {
    this.acknowledgments.settle(layout.seq);
    return this.commands.effects(layout.applied);
  }

  /** Select points here at once, and in the kernel soon. */
  select(points: Uint32Array, by = ""): void {
    this.change("selection", points, () => this.commands.send("select", by ? { by } : {}, [points]));
  }

  /** Keep the cards of these points open, here at once and in the kernel soon. */
  showCards(points: Uint32Array): void {
    this.change("cards", points, () => this.commands.send("show_cards", {}, [points]));
  }

  /** Give the panel a width, here at once and in the kernel soon. */
  sizePanel(width: number): void {
    this.change("sidebar_width", width, () => this.commands.send("size_panel", { width }, []));
  }

  /** Show or hide the map without labels, here at once and in the kernel soon. */
  showUnsupervised(shown: boolean): void {
    this.change("unsupervised_shown", shown, () => this.commands.send("show_unsupervised", { shown }, []));
  }

  /** Give a trait a value here at once, and let the kernel know. */
  private change<K extends TraitName>(name: K, value: Traits[K], send: () => Promise<{ ok: boolean }>): void {
    const trait: Signal<Traits[K]> = this.traits[name];
    trait.value = value;
    if (this.link.state.peek() === "gone") return;
    this.ownChanges.note(name, send(), () => {
      if (this.link.state.peek() !== "gone") trait.value = readTrait(this.model, name) as Traits[K];
    });
  }

  /** Make a signal for each trait, and keep it up to date. */
  private follow(model: Model): TraitSignals {
    const signals: Record<string, Signal<unknown>> = {};
    for (const name of TRAIT_NAMES) {
      const made = (signals[name] = signal<unknown>(readTrait(model, name)));
      const update = () => {
        if (this.ownChanges.passes(name)) made.value = readTrait(model, name);
      };
      model.on(`change:${name}`, update);
      this.cleanups.push(() => model.off(`change:${name}`, update));
    }
    return signals as unknown as TraitSignals;
  }

  /** The traits hold the layout at rest; a page that is shown frames has a newer one. */
  private followLayout(): void {
    const { coordinates, membership_colors: colors } = this.traits;
    this.cleanups.push(
      coordinates.subscribe(() => {
        if (this.layout.peek().seq === 0 || !this.visible()) this.layout.value = this.restored();
      }),
      colors.subscribe((membershipColors) => {
        if (this.layout.peek().seq === 0) this.layout.value = { ...this.layout.peek(), membershipColors };
      }),
    );
  }

  private followCostHistory(): void {
    const { history, method, learning } = this.traits;
    let [lastMethod, lastLearning] = [method.peek(), learning.peek()];
    this.cleanups.push(
      effect(() => {
        // The costs of two methods, and those before and after learning, are on different scales.
        const restart = (lastMethod && method.value !== lastMethod) || (lastLearning && !learning.value);
        [lastMethod, lastLearning] = [method.value, learning.value];
        if (restart) this.costHistory.value = new CostHistory();
      }),
      history.subscribe((pairs) => (this.costHistory.value = CostHistory.from(pairs))),
    );
  }

  /** Whether any view can be seen. */
  visible(): boolean {
    return !document.hidden && [...this.views.values()].some(Boolean);
  }

  private report(): void {
    const visible = this.visible();
    if (visible === this.reportedVisible) return;
    this.reportedVisible = visible;
    this.commands.tell({ type: "visible", visible });
  }

  private reportViews(): void {
    if (this.views.size === this.reportedViews) return;
    this.reportedViews = this.views.size;
    this.commands.tell({ type: "views", count: this.reportedViews });
  }

  private receive(message: MessageToPage, buffers: DataView[]): void {
    this.link.heard(message.type === "reply" && message.client === this.commands.client);
    if (message.type === "reply" && this.own(message)) this.polling?.answered();
    if (message.type === "reply") this.commands.receive(message);
    else if (message.type === "frame") this.frame(message, buffers);
    else if (message.type === "card" && this.own(message)) this.cards.receive(message, buffers);
    else if (message.type === "names" && this.own(message)) this.cards.receiveNames(message);
    else if (message.type === "answer" && this.own(message)) this.queries.receive(message, buffers);
    else if (message.type === "suggestions") this.suggestions.value = readSuggestions(message, buffers);
  }

  /** Whether an answer is for this page. */
  private own({ client }: { client: string }): boolean {
    return client === this.commands.client;
  }

  /** Ask what gets an answer of its own; nothing is asked of a kernel that is gone. */
  private tell(question: { type: "inspect"; point: number } | { type: "naming"; points: number[] }): void {
    if (this.link.state.peek() !== "gone") this.commands.tell(question);
  }

  private frame(message: FrameMessage, buffers: DataView[]): void {
    const before = this.layout.peek();
    const positions = positionsOf(buffers[0], message.range);
    const colors = typedArray("Uint8Array", buffers[1]);
    batch(() => {
      for (const name of FRAME_TRAITS) {
        const value = message[name];
        if (value !== undefined) (this.traits[name] as Signal<unknown>).value = value;
      }
      this.layout.value = {
        positions,
        step: stepOf(message.range),
        // The same array says that nothing need be painted anew.
        membershipColors: same(colors, before.membershipColors) ? before.membershipColors : colors,
        version: message.version,
        seq: message.seq,
        applied: message.applied[this.commands.client] ?? 0,
        arrivedAt: performance.now(),
        fresh: before.positions.length !== positions.length,
      };
      if (message.cost !== null) this.costHistory.value = this.costHistory.peek().with(message.iteration, message.cost);
    });
    this.acknowledgments.arrived(message.seq, buffers[0].byteLength);
    // Drawing acknowledges; a page that does not draw (hidden or asleep) must not stall the kernel.
    if (!this.visible()) this.acknowledgments.settle(message.seq);
    else setTimeout(() => this.acknowledgments.settle(message.seq), HIDDEN_ACK);
  }

  private restored(): Layout {
    return {
      positions: this.traits.coordinates.peek(),
      step: 0,
      membershipColors: this.traits.membership_colors.peek(),
      version: 0,
      seq: 0,
      applied: 0,
      arrivedAt: performance.now(),
      fresh: true,
    };
  }
}
