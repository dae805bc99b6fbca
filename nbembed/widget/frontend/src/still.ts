/** The module of a page without a kernel: the same map, with a stand-in that answers what it can. */
import { handleKey } from "./view/keyboard";
import { Store } from "./state/store";
import { mount as mountView } from "./panels/mount";
import { StillApp } from "./panels/still";
import type { Model } from "./wire/wire";
import type { Measure } from "./wire/wire.generated";
import * as strings from "./strings";

/** What Python has written into the page (`nbembed/widget/host/still_page.py`). */
interface State {
  traits: Record<string, unknown>;
  /** Name, rows and image of each point, as far as there was room. */
  cards: [string, [string, string][], string | null][];
  left_out: number;
  /** The measure that colored the map when the page was written. */
  measure: { name: Measure; mean: number | null; values: { b64: string } } | null;
}

type Listener = (...given: unknown[]) => void;
type Message = Record<string, unknown> & { type: string; client: string };

function bytes(text: string): DataView {
  const raw = atob(text);
  return new DataView(Uint8Array.from(raw, (c) => c.charCodeAt(0)).buffer);
}

/** Commands that concern the view alone, and the trait that each of them sets. */
const SETS: Record<string, [string, string]> = { color_by: ["color_by", "mode"], show_names: ["names_shown", "shown"], show_thumbnails: ["thumbnails_shown", "shown"] };

class StillModel {
  private readonly values: Record<string, unknown> = {};
  private readonly listeners = new Map<string, Set<Listener>>();

  constructor(private readonly state: State) {
    for (const [name, value] of Object.entries(state.traits)) {
      const packed = value as { b64?: unknown } | null;
      this.values[name] = typeof packed === "object" && typeof packed?.b64 === "string" ? bytes(packed.b64) : value;
    }
  }

  get(name: string): unknown {
    return this.values[name];
  }

  on(event: string, listener: Listener): void {
    if (!this.listeners.has(event)) this.listeners.set(event, new Set());
    this.listeners.get(event)?.add(listener);
  }

  off(event: string, listener: Listener): void {
    this.listeners.get(event)?.delete(listener);
  }

  send(content: Message, _callbacks: unknown, buffers: ArrayBuffer[] = []): void {
    setTimeout(() => this.answer(content, buffers), 0);
  }

  private answer(content: Message, buffers: ArrayBuffer[]): void {
    const { type, client } = content;
    if (type === "hello") this.tell({ type: "reply", client, request: 0, ok: true, error: null });
    else if (type === "command") this.tell({ type: "reply", client, request: content.request, ...this.obey(content, buffers) });
    else if (type === "query" && content.name === "images") this.images(content, [...new Uint32Array(buffers[0])]);
    else if (type === "query") this.reply(content);
    else if (type === "inspect") this.card(client, content.point as number);
    else if (type === "naming") {
      const points = content.points as number[];
      this.tell({ type: "names", client, points, names: points.map((i) => this.state.cards[i]?.[0] ?? "") });
    }
  }

  /** Of what the kernel would compute, the page has the measure alone. */
  private reply({ client, request, name, arguments: given }: Message): void {
    const { measure } = this.state;
    const { measure: asked, k } = given as { measure?: string; k?: number };
    const known = name === "measure" && measure !== null && asked === measure.name;
    const fields = known ? { name: measure.name, k, version: 0, ready: true, mean: measure.mean } : {};
    this.tell({ type: "answer", client, request, name, error: known ? null : strings.noKernel, fields }, known ? [bytes(measure.values.b64)] : []);
  }

  /** The images of cards, one after the other. */
  private images({ client, request, name }: Message, asked: number[]): void {
    const points = asked.filter((point) => this.state.cards[point]?.[2]);
    const pngs = points.map((point) => atob(this.state.cards[point][2] ?? ""));
    const fields = { points, lengths: pngs.map(({ length }) => length) };
    this.tell({ type: "answer", client, request, name, error: null, fields }, [bytes(btoa(pngs.join("")))]);
  }

  private obey({ name, arguments: given }: Message, buffers: ArrayBuffer[]): { ok: boolean; error: string | null } {
    if (name === "select" || name === "show_cards") this.set(name === "select" ? "selection" : "cards", new DataView(buffers[0]));
    else if (SETS[name as string]) {
      const [trait, argument] = SETS[name as string];
      this.set(trait, (given as Record<string, unknown>)[argument]);
    } else return { ok: false, error: strings.noKernel };
    return { ok: true, error: null };
  }

  private card(client: string, point: number): void {
    const known = this.state.cards[point];
    const [name, rows, image] = known ?? ["", [], null];
    const content = {
      type: "card", client, point, name,
      rows: rows.map(([title, text]) => ({ title, text })),
      left_out: known ? this.state.left_out : 0,
      neighbors: [], high: [], low: [], labeled: [],
      problem: "",
    };
    this.tell(content, image === null ? [] : [bytes(image)]);
  }

  private set(name: string, value: unknown): void {
    this.values[name] = value;
    this.emit(`change:${name}`);
  }

  private tell(content: object, buffers: DataView[] = []): void {
    this.emit("msg:custom", content, buffers);
  }

  private emit(event: string, ...given: unknown[]): void {
    for (const listener of [...(this.listeners.get(event) ?? [])]) listener(...given);
  }
}

/** Keys that are of use without a kernel. */
const KEYS = new Set(["p", "l", "f", "+", "=", "-", "i", "Escape", " ", "ArrowLeft", "ArrowRight", "ArrowUp", "ArrowDown"]);

export function mount(el: HTMLElement, state: State): () => void {
  const store = new Store(new StillModel(state) as unknown as Model);
  const Layout: typeof StillApp = (props) => StillApp({ ...props, measure: state.measure?.name });
  return mountView(store, el, Layout, { keys: (view, event) => {
    // The cursor's Space selects a point; without one it would play.
    if (!KEYS.has(event.key) || (event.key === " " && !view.map.peek()?.cursorShown)) return false;
    return handleKey(view, event);
  }, still: true });
}
