/**
 * What all views of one Explorer share: the traits as signals, the newest frame, and the
 * acknowledgements. Made once by `initialize`; each view reads it and never keeps a copy.
 */
import { batch, signal, type Signal } from "@preact/signals";
import { Commands, type Effect } from "./commands";
import { CostHistory } from "./history";
import {
  floats,
  int16s,
  octets,
  uint32s,
  type ClassInfo,
  type ColorColumn,
  type ColorMode,
  type Control,
  type FrameMessage,
  type KernelMessage,
  type MethodGroup,
  type Model,
  type PathStep,
  type RunState,
  type Traits,
} from "./wire";

/** A named place that a method has on the map beside the points: the center of a class, say. */
export interface Landmark {
  x: number;
  y: number;
  name: string;
  color: string;
}

/** One layout to draw, and how it came. */
export interface Layout {
  positions: Float32Array;
  /** RGBA a sample, or empty: colors by class probability. */
  tints: Uint8Array;
  directions: [number, number][];
  directionColors: string[];
  landmarks: Landmark[];
  version: number;
  /** 0 for a layout that came with the traits and wants no acknowledgement. */
  seq: number;
  applied: number;
  /** `performance.now()` when it reached the page. */
  arrivedAt: number;
  /** True when it is not the next step of a run: a restored layout, say. */
  fresh: boolean;
}

export interface Column {
  kind: ColorColumn["kind"];
  title: string;
  values: Float32Array;
  names: string[];
  colors: string[];
}

const HIDDEN_ACK = 250;

export class Store {
  readonly commands: Commands;
  readonly layout: Signal<Layout>;
  readonly labels = signal<Int16Array>(new Int16Array(0));
  readonly confidences = signal<Float32Array>(new Float32Array(0));
  readonly classes = signal<ClassInfo[]>([]);
  readonly links = signal<number[][]>([]);
  readonly cannotLinks = signal<number[][][]>([]);
  readonly pinned = signal<Uint32Array>(new Uint32Array(0));
  readonly selection = signal<Uint32Array>(new Uint32Array(0));
  readonly column = signal<Column>({ kind: "none", title: "", values: new Float32Array(0), names: [], colors: [] });
  readonly colorBy = signal<ColorMode>("class");
  readonly method = signal("");
  readonly methods = signal<string[]>([]);
  readonly methodGroups = signal<MethodGroup[]>([]);
  readonly controls = signal<Control[]>([]);
  readonly parameters = signal<Record<string, number | null>>({});
  readonly state = signal<RunState>("idle");
  readonly iteration = signal(0);
  readonly cost = signal<number | null>(null);
  readonly quality = signal<number | null>(null);
  readonly error = signal("");
  readonly learning = signal("");
  readonly unlearned = signal("");
  readonly wanted = signal("");
  readonly undo = signal("");
  readonly redo = signal("");
  readonly history = signal(new CostHistory());
  readonly path = signal<PathStep[]>([]);
  readonly chosenPath = signal(-1);
  readonly height = signal(460);
  /** The kernel's answer to the last refused command; dismissed by the person. */
  readonly refusal = signal("");
  /** Whether the kernel has not answered for a while: a cell may be running, or it is gone. */
  readonly stalled = signal(false);

  private readonly views = new Map<object, boolean>();
  private readonly owed = new Set<number>();
  private readonly off: (() => void)[] = [];

  constructor(private readonly model: Model) {
    this.commands = new Commands(
      model,
      (message) => (this.refusal.value = message),
      (stalled) => (this.stalled.value = stalled),
    );
    this.layout = signal(this.restored());
    this.bind("coordinates", () => {
      // A page that is shown frames has had the newest one; the trait is for those that are not.
      if (this.layout.peek().seq === 0 || !this.visible()) this.layout.value = this.restored();
    });
    this.bind("probability_colors", (v) => {
      if (this.layout.peek().seq === 0) this.layout.value = { ...this.layout.peek(), tints: octets(v) };
    });
    this.bind("directions", (v) => (this.layout.value = { ...this.layout.peek(), directions: v }));
    this.bind("direction_colors", (v) => (this.layout.value = { ...this.layout.peek(), directionColors: v }));
    for (const name of ["centers", "center_names", "center_colors"] as const) {
      this.bind(name, () => (this.layout.value = { ...this.layout.peek(), landmarks: this.restoredLandmarks() }));
    }
    this.bind("label_codes", (v) => (this.labels.value = int16s(v)));
    this.bind("label_confidence", (v) => (this.confidences.value = floats(v)));
    this.bind("classes", (v) => (this.classes.value = v));
    this.bind("links", (v) => (this.links.value = v));
    this.bind("cannot_links", (v) => (this.cannotLinks.value = v));
    this.bind("pinned", (v) => (this.pinned.value = uint32s(v)));
    this.bind("selection", (v) => (this.selection.value = uint32s(v)));
    this.bind("color_column", (v) => (this.column.value = { ...v, values: floats(v.values) }));
    this.bind("color_by", (v) => (this.colorBy.value = v));
    this.bind("method", (v) => {
      // Costs of two methods are not on one scale, so the curve begins anew.
      if (this.method.peek() && this.method.peek() !== v) this.history.value = new CostHistory();
      this.method.value = v;
    });
    this.bind("methods", (v) => (this.methods.value = v));
    this.bind("method_groups", (v) => (this.methodGroups.value = v));
    this.bind("controls", (v) => (this.controls.value = v));
    this.bind("parameters", (v) => (this.parameters.value = v));
    this.bind("state", (v) => (this.state.value = v));
    this.bind("iteration", (v) => (this.iteration.value = v));
    this.bind("cost", (v) => (this.cost.value = v));
    this.bind("quality", (v) => (this.quality.value = v));
    this.bind("error", (v) => (this.error.value = v));
    this.bind("learning", (v) => {
      // What was learned changes the scale of the costs.
      if (this.learning.peek() && !v) this.history.value = new CostHistory();
      this.learning.value = v;
    });
    this.bind("unlearned", (v) => (this.unlearned.value = v));
    this.bind("wanted", (v) => (this.wanted.value = v));
    this.bind("undo", (v) => (this.undo.value = v));
    this.bind("redo", (v) => (this.redo.value = v));
    this.bind("history", (v) => (this.history.value = CostHistory.from(floats(v))));
    this.bind("path", (v) => (this.path.value = v));
    this.bind("chosen_path", (v) => (this.chosenPath.value = v));
    this.bind("height", (v) => (this.height.value = v));
    const receive = (message: KernelMessage, buffers: DataView[]) => this.receive(message, buffers);
    model.on("msg:custom", receive);
    const visibility = () => this.report();
    document.addEventListener("visibilitychange", visibility);
    this.off.push(
      () => model.off("msg:custom", receive),
      () => document.removeEventListener("visibilitychange", visibility),
    );
    this.commands.tell("hello");
  }

  get size(): number {
    return this.model.get("n_samples");
  }

  destroy(): void {
    this.commands.tell("bye");
    for (const off of this.off) off();
  }

  /** A view says whether it can be seen; the kernel sends no frames when none can. */
  setVisible(view: object, visible: boolean | null): void {
    if (visible === null) this.views.delete(view);
    else this.views.set(view, visible);
    this.report();
  }

  /** A view has drawn a layout: acknowledge it, and say which requests it answers. */
  drawn(layout: Layout): Effect[] {
    if (this.owed.has(layout.seq)) this.acknowledge(layout.seq);
    return this.commands.effects(layout.applied);
  }

  /** Make the selection known here at once and in the kernel soon. */
  select(points: Uint32Array): void {
    this.selection.value = points;
    void this.commands.send("select", {}, points);
  }

  private visible(): boolean {
    return !document.hidden && [...this.views.values()].some(Boolean);
  }

  private reported: boolean | null = null;

  private report(): void {
    const visible = this.visible();
    if (visible === this.reported) return;
    this.reported = visible;
    this.commands.tell("visible", { visible });
  }

  private receive(message: KernelMessage, buffers: DataView[]): void {
    if (message.type === "reply") this.commands.receive(message);
    else if (message.type === "frame") this.frame(message, buffers);
  }

  private frame(message: FrameMessage, buffers: DataView[]): void {
    const before = this.layout.peek();
    batch(() => {
      this.layout.value = {
        positions: floats(buffers[0]),
        tints: octets(buffers[1]),
        directions: message.directions ?? before.directions,
        directionColors: message.direction_colors ?? before.directionColors,
        landmarks: landmarks(message.centers, message.center_names, message.center_colors),
        version: message.version,
        seq: message.seq,
        applied: message.applied[this.commands.client] ?? 0,
        arrivedAt: performance.now(),
        fresh: before.positions.length !== buffers[0].byteLength / 4,
      };
      this.state.value = message.state;
      this.iteration.value = message.iteration;
      this.cost.value = message.cost;
      if (message.quality !== null) this.quality.value = message.quality;
      if (message.parameters) this.parameters.value = message.parameters;
      if (message.cost !== null) {
        this.history.peek().push(message.iteration, message.cost);
        this.history.value = Object.assign(new CostHistory(), this.history.peek());
      }
    });
    this.owed.add(message.seq);
    // Drawing acknowledges; a page that draws nothing (hidden, or asleep) must not stall the kernel.
    if (!this.visible()) this.acknowledge(message.seq);
    else setTimeout(() => this.acknowledge(message.seq), HIDDEN_ACK);
  }

  private acknowledge(seq: number): void {
    if (!this.owed.has(seq)) return;
    // One word for all frames up to this one: those between were never drawn.
    for (const earlier of this.owed) if (earlier <= seq) this.owed.delete(earlier);
    this.commands.tell("ack", { seq });
  }

  private restored(): Layout {
    return {
      positions: floats(this.model.get("coordinates")),
      tints: octets(this.model.get("probability_colors")),
      directions: this.model.get("directions") ?? [],
      directionColors: this.model.get("direction_colors") ?? [],
      landmarks: this.restoredLandmarks(),
      version: 0,
      seq: 0,
      applied: 0,
      arrivedAt: performance.now(),
      fresh: true,
    };
  }

  private restoredLandmarks(): Landmark[] {
    const { model } = this;
    return landmarks(model.get("centers"), model.get("center_names"), model.get("center_colors"));
  }

  private bind<K extends keyof Traits & string>(name: K, apply: (value: Traits[K]) => void): void {
    const update = () => {
      const value = this.model.get(name) as Traits[K] | undefined;
      if (value !== undefined) apply(value);
    };
    update();
    this.model.on(`change:${name}`, update);
    this.off.push(() => this.model.off(`change:${name}`, update));
  }
}

function landmarks(places: [number, number][] = [], names: string[] = [], colors: string[] = []): Landmark[] {
  return places.map(([x, y], k) => ({ x, y, name: names[k] ?? String(k + 1), color: colors[k] ?? "" }));
}
