/**
 * Commands to the kernel: numbered requests, their replies, and the clock that measures how long
 * a request takes until its effect is drawn.
 */
import type { Model, ReplyMessage } from "./wire";

export type Reply = { ok: boolean; error: string | null };
type Waiting = { name: string; at: number; done: (reply: Reply) => void };

/** How long a request may stay unanswered before the person is told, in milliseconds. */
const PATIENCE = 3000;

export interface Effect {
  request: number;
  name: string;
  /** `performance.now()` when the person acted. */
  at: number;
}

export class Commands {
  /** Tells this page from others that show the same widget. */
  readonly client = Math.random().toString(36).slice(2, 10);
  private last = 0;
  private waiting = new Map<number, Waiting>();
  private unseen: Effect[] = [];

  constructor(
    private readonly model: Model,
    private readonly onError: (message: string) => void,
    private readonly onStall: (stalled: boolean) => void,
  ) {}

  send(name: string, args: Record<string, unknown> = {}, points?: Uint32Array | Uint32Array[], at = performance.now()): Promise<Reply> {
    const request = ++this.last;
    this.unseen.push({ request, name, at });
    if (this.unseen.length > 500) this.unseen.splice(0, 250);
    performance.mark(`nbembed:request:${request}`, { startTime: at, detail: { name } });
    const content = { type: "command", client: this.client, request, name, arguments: args };
    const reply = new Promise<Reply>((done) => this.waiting.set(request, { name, at, done }));
    const sides = points ? (Array.isArray(points) ? points : [points]) : [];
    this.model.send(content, undefined, sides.map((side) => side.slice().buffer));
    setTimeout(() => this.waiting.has(request) && this.onStall(true), PATIENCE);
    return reply;
  }

  tell(type: "ack" | "hello" | "visible" | "bye", content: Record<string, unknown> = {}): void {
    this.model.send({ type, client: this.client, ...content });
  }

  receive(message: ReplyMessage): void {
    if (message.client !== this.client) return;
    if (!message.ok && message.error) this.onError(message.error);
    this.settle(message.request, { ok: message.ok, error: message.error });
  }

  /** The requests whose effect a frame shows for the first time. */
  effects(applied: number): Effect[] {
    const seen = this.unseen.filter((effect) => effect.request <= applied);
    if (seen.length) this.unseen = this.unseen.filter((effect) => effect.request > applied);
    return seen;
  }

  private settle(request: number, reply: Reply): void {
    const waiting = this.waiting.get(request);
    if (!waiting) return;
    this.waiting.delete(request);
    if (!this.waiting.size) this.onStall(false);
    waiting.done(reply);
  }
}

/** Milliseconds between sends at least: about an animation frame. */
const PACE = 15;

/**
 * Sends the latest value and drops those between: at most one send an animation frame and one
 * unanswered at a time, so that a dragged slider never queues up behind the kernel. The first
 * value of a drag leaves at once.
 */
export class Latest<T> {
  private pending: { value: T; at: number } | null = null;
  private busy = false;
  private scheduled = false;
  private last = -Infinity;

  constructor(
    private readonly deliver: (value: T, at: number) => Promise<unknown>,
    private readonly patience = 1000,
  ) {}

  push(value: T): void {
    const at = performance.now();
    this.pending = { value, at };
    if (at - this.last >= PACE && !this.scheduled) this.flush();
    else this.schedule();
  }

  private schedule(): void {
    if (this.scheduled || this.busy) return;
    this.scheduled = true;
    requestAnimationFrame(() => {
      this.scheduled = false;
      this.flush();
    });
  }

  private flush(): void {
    if (!this.pending || this.busy) return;
    const { value, at } = this.pending;
    this.pending = null;
    this.busy = true;
    this.last = performance.now();
    const timeout = new Promise((done) => setTimeout(done, this.patience));
    void Promise.race([this.deliver(value, at), timeout]).finally(() => {
      this.busy = false;
      if (this.pending) this.schedule();
    });
  }
}
