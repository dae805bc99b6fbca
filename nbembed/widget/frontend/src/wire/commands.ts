/**
 * Commands to the kernel: numbered requests, their replies, and the time from a request until its
 * effect is drawn.
 */
import { signal } from "@preact/signals";
import type { Link } from "./link";
import { PATIENCE, waitFor } from "./patience";
import type { CommandArguments, CommandName, CommandPoints, MessageFromPage, ReplyMessage } from "./wire.generated";

type Reply = Pick<ReplyMessage, "ok" | "error">;
type Notification = Exclude<MessageFromPage, { type: "command" | "query" }>;
/** A message without its client, which is the same for all. */
type WithoutClient<M> = M extends unknown ? Omit<M, "client"> : never;

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
  private readonly pending = new Map<number, (reply: Reply) => void>();
  private unseen: Effect[] = [];

  constructor(
    private readonly link: () => Link,
    private readonly onError: (message: string) => void,
  ) {}

  /** Send a command; `at` is when the person acted. */
  send<N extends CommandName>(name: N, args: CommandArguments[N], points: CommandPoints[N], at = performance.now()): Promise<Reply> {
    const request = ++this.last;
    this.unseen.push({ request, name, at });
    if (this.unseen.length > 500) this.unseen.splice(0, 250);
    performance.mark(`nbembed:request:${request}`, { startTime: at, detail: { name } });
    const reply = new Promise<Reply>((done) => this.pending.set(request, done));
    const content: MessageFromPage = { type: "command", client: this.client, request, name, arguments: args };
    const link = this.link();
    const buffers = (points as Uint32Array[]).map((indices) => indices.slice().buffer);
    if (link.state.peek() !== "gone" && link.send(content, buffers)) link.expect();
    else this.abandon();
    return reply;
  }

  /** Whether a command waits for its reply. */
  get unanswered(): boolean {
    return this.pending.size > 0;
  }

  /** Nothing that was sent will be answered any more. */
  abandon(): void {
    this.unseen = [];
    for (const request of [...this.pending.keys()]) this.settle(request, { ok: false, error: null });
  }

  /** Send a message that gets no reply. */
  tell(content: WithoutClient<Notification>): void {
    if (this.link().send({ ...content, client: this.client }) && content.type === "hello") this.link().expect();
  }

  receive(message: ReplyMessage): void {
    if (message.client !== this.client) return;
    if (!message.ok && message.error) this.onError(message.error);
    this.settle(message.request, { ok: message.ok, error: message.error });
  }

  /** The requests that a frame is the first to show. */
  effects(applied: number): Effect[] {
    const seen = this.unseen.filter((effect) => effect.request <= applied);
    if (seen.length) this.unseen = this.unseen.filter((effect) => effect.request > applied);
    return seen;
  }

  private settle(request: number, reply: Reply): void {
    const done = this.pending.get(request);
    if (!done) return;
    this.pending.delete(request);
    done(reply);
  }
}

/** Least number of milliseconds between sends: about an animation frame. */
const PACE = 15;

/**
 * Sends the latest value and drops those in between: at most one in an animation frame and one
 * without a reply at a time, so that the values of a dragged slider never queue up, however long the
 * kernel is busy. The first value of a drag is sent at once.
 */
export class Latest<T> {
  /** Whether a value was not sent or not answered yet. */
  readonly waiting = signal(false);
  private pending: { value: T; at: number } | null = null;
  private busy = false;
  private scheduled = false;
  private last = -Infinity;

  constructor(
    private readonly link: Link,
    private readonly deliver: (value: T, at: number) => Promise<unknown>,
  ) {}

  push(value: T): void {
    const at = performance.now();
    this.pending = { value, at };
    this.waiting.value = true;
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
    let over = false;
    const end = (): void => {
      if (over) return;
      over = true;
      stop();
      this.busy = false;
      if (this.pending) this.schedule();
      else this.waiting.value = false;
    };
    const stop = waitFor(this.link, PATIENCE, end);
    void this.deliver(value, at).finally(end);
  }
}

/** The latest value of each parameter. */
export class Setters {
  private readonly latest = new Map<string, Latest<number>>();

  constructor(
    private readonly link: Link,
    private readonly deliver: (name: string, value: number, at: number) => Promise<unknown>,
  ) {}

  set(name: string, value: number): void {
    this.of(name).push(value);
  }

  /** Whether the kernel has not taken the last value yet. Readers are told also of the first that is set. */
  waits(name: string): boolean {
    return this.of(name).waiting.value;
  }

  private of(name: string): Latest<number> {
    let found = this.latest.get(name);
    if (!found) {
      found = new Latest<number>(this.link, (value, at) => this.deliver(name, value, at));
      this.latest.set(name, found);
    }
    return found;
  }
}
