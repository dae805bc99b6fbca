/** Small images of points: asked for when they are to be shown, a few at a time, and kept. */
import { signal } from "@preact/signals";
import { Answers, type Queries } from "../wire/queries";
import { MOST_IMAGES, type QueryAnswers } from "../wire/wire.generated";
import { pngUrl } from "./cards";

/** Images that are kept, and those that wait to be asked for; the oldest are dropped. */
const [MOST_KEPT, MOST_WAITING] = [1000, 200];

export class Thumbnails {
  /** Counts the answers: who reads an image is told of the next ones. */
  private readonly news = signal(0);
  private readonly known = new Map<number, HTMLImageElement | null>();
  private readonly asked = new Set<number>();
  private readonly answers: Answers<"images">;
  private waiting: number[] = [];

  constructor(queries: Queries) {
    this.answers = new Answers(queries, "images");
    // Later, when the answer has been taken or has turned out to be lost.
    this.answers.pending.subscribe((pending) => !pending && queueMicrotask(() => this.advance()));
  }

  /** The image of a point, null if it has none, undefined before it has come. */
  get(point: number): HTMLImageElement | null | undefined {
    void this.news.value;
    return this.known.get(point);
  }

  /** How many answers have come, for who draws images. */
  get version(): number {
    return this.news.value;
  }

  /** Ask for the images that are not there, before those that were asked for earlier. */
  ask(points: readonly number[]): void {
    const missing = points.filter((i) => !this.known.has(i) && !this.asked.has(i));
    this.waiting = [...new Set([...missing, ...this.waiting])].slice(0, MOST_WAITING);
    this.advance();
  }

  private advance(): void {
    if (this.answers.pending.peek()) return;
    if (this.answers.error.peek()) this.asked.clear();
    const batch = this.waiting.splice(0, MOST_IMAGES);
    if (!batch.length) return;
    batch.forEach((i) => this.asked.add(i));
    this.answers.ask({}, [Uint32Array.from(batch)], (answer) => void this.take(batch, answer));
  }

  private async take(batch: readonly number[], { points, lengths, pngs }: QueryAnswers["images"]): Promise<void> {
    let end = 0;
    const images = points.map((point, k): [number, HTMLImageElement] => {
      const image = new Image();
      image.src = pngUrl(pngs.subarray(end, (end += lengths[k])));
      return [point, image];
    });
    await Promise.allSettled(images.map(([, image]) => image.decode()));
    const found = new Map(images.filter(([, image]) => image.naturalWidth > 0));
    for (const point of batch) {
      this.asked.delete(point);
      this.known.set(point, found.get(point) ?? null);
    }
    for (const old of this.known.keys()) {
      if (this.known.size <= MOST_KEPT) break;
      this.known.delete(old);
    }
    this.news.value++;
  }
}
