/**
 * What the page knows of single points: their cards and names, asked for when somebody looks, and
 * kept. The newest few hundred cards stay; an answer that does not come is asked for again later.
 */
import { signal } from "@preact/signals";
import type { CardClass, CardMessage, CardNeighbor, CardRow, NamesMessage } from "../wire/wire.generated";

export interface Card {
  /** "" where points have no names. */
  name: string;
  rows: CardRow[];
  /** The number of columns without a row. */
  leftOut: number;
  /** null while they are searched. */
  neighbors: CardNeighbor[] | null;
  /** Features in which the point is unusual. */
  high: string[];
  low: string[];
  /** Classes of the labeled points that are nearest. */
  labeled: CardClass[];
  /** The image as a URL, "" without one. */
  image: string;
  /** Why there is no image, "" if nothing is wrong. */
  problem: string;
}

/** What cards need of the wire. */
interface Asker {
  inspect: (point: number) => void;
  naming: (points: number[]) => void;
}

const MOST_CARDS = 300;
const MOST_NAMES = 20000;
/** Milliseconds after which a question is asked again. */
const PATIENCE = 4000;
/** Names that one message asks for. */
const BATCH = 300;

export class Cards {
  /** Counts what has come: who reads it is told of the next card or name. */
  private readonly news = signal(0);
  private readonly cards = new Map<number, Card>();
  /** Cards that were made for other labels. */
  private readonly old = new Set<number>();
  private readonly named = new Map<number, string>();
  private readonly askedCards = new Map<number, number>();
  private readonly askedNames = new Map<number, number>();
  private readonly waiting = new Map<number, Set<(card: Card) => void>>();

  constructor(private readonly asker: Asker) {}

  /** The card of a point, if it has come. */
  get(point: number): Card | undefined {
    void this.news.value;
    return this.cards.get(point);
  }

  /** The name of a point, if it has come; "" if it has none. */
  name(point: number): string | undefined {
    return this.named.get(point);
  }

  /** How many answers have come, for who draws names. */
  get version(): number {
    return this.news.value;
  }

  /** Ask for a card unless it is there, or has just been asked for. */
  ask(point: number): void {
    if ((this.cards.has(point) && !this.old.has(point)) || this.recent(this.askedCards, point)) return;
    this.asker.inspect(point);
  }

  /** Ask for the names that are not there. */
  askNames(points: readonly number[]): void {
    const missing = points.filter((i) => !this.named.has(i) && !this.recent(this.askedNames, i));
    for (let k = 0; k < missing.length; k += BATCH) this.asker.naming(missing.slice(k, k + BATCH));
  }

  /** Call `done` with the card of a point once it has come. */
  whenKnown(point: number, done: (card: Card) => void): void {
    const known = this.cards.get(point);
    if (known) {
      done(known);
      return;
    }
    if (!this.waiting.has(point)) this.waiting.set(point, new Set());
    this.waiting.get(point)?.add(done);
    this.ask(point);
  }

  receive(message: CardMessage, buffers: DataView[]): void {
    const { point, left_out: leftOut, neighbors, high, low, labeled, problem } = message;
    const name = plain(message.name);
    const rows = message.rows.map(({ title, text }) => ({ title: plain(title), text: plain(text) }));
    const card: Card = { name, rows, leftOut, neighbors, high, low, labeled, image: imageOf(buffers[0]), problem };
    this.cards.delete(point); // the newest are last
    this.cards.set(point, card);
    for (const old of this.cards.keys()) {
      if (this.cards.size <= MOST_CARDS) break;
      this.cards.delete(old);
    }
    this.named.set(point, name);
    this.askedCards.delete(point);
    this.old.delete(point);
    const waiting = this.waiting.get(point);
    this.waiting.delete(point);
    this.news.value++;
    waiting?.forEach((done) => done(card));
  }

  receiveNames({ points, names }: NamesMessage): void {
    if (this.named.size > MOST_NAMES) this.named.clear();
    points.forEach((point, k) => {
      this.named.set(point, names[k]);
      this.askedNames.delete(point);
    });
    this.news.value++;
  }

  /** Labels have changed: cards stay, and are asked for again when somebody looks. */
  renew(): void {
    for (const point of this.cards.keys()) this.old.add(point);
    this.news.value++;
  }

  /** Forget what may have changed: neighbors are those in the metric. */
  forget(): void {
    this.cards.clear();
    this.old.clear();
    this.askedCards.clear();
    this.news.value++;
  }

  private recent(asked: Map<number, number>, point: number): boolean {
    const now = performance.now();
    if (now - (asked.get(point) ?? -Infinity) < PATIENCE) return true;
    asked.set(point, now);
    return false;
  }
}

function imageOf(bytes: DataView | undefined): string {
  return bytes?.byteLength ? pngUrl(new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength)) : "";
}

/** A PNG as a URL. */
export function pngUrl(data: Uint8Array): string {
  return pictureUrl(data, "image/png");
}

/** A picture as a URL. The type is fixed: whatever the bytes are, the page reads them as an image, which runs no script. */
export function pictureUrl(data: Uint8Array, type: "image/png" | "image/svg+xml"): string {
  let text = "";
  for (let i = 0; i < data.length; i += 8192) text += String.fromCharCode(...data.subarray(i, i + 8192));
  return `data:${type};base64,${btoa(text)}`;
}

/** Marks that change the direction of the text after them. */
const TURNING = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

/** Text from the data as it is read everywhere, in its lines: without marks that would turn it. */
export function plain(text: string): string {
  return text.replace(TURNING, " ");
}

/** Text from the data inside a sentence: in one line, without marks that would act on the rest of it. */
export function inline(text: string, longest = 60): string {
  const characters = [...plain(text).replace(/\s+/g, " ").trim()];
  return characters.length > longest ? `${characters.slice(0, longest).join("")}…` : characters.join("");
}
