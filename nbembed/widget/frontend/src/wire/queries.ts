/**
 * What the page asks without changing anything, and the answers. A part of the page that wants to know
 * something has an `Answers`: of its questions the newest counts, and one is under way at a time.
 */
import { signal, type Signal } from "@preact/signals";
import type { Link } from "./link";
import { waitFor } from "./patience";
import { typedArray } from "./wire";
import { QUERY_BUFFERS, type AnswerMessage, type QueryAnswers, type QueryArguments, type QueryName, type QueryPoints } from "./wire.generated";
import * as strings from "../strings";

/** A query as it goes to the kernel. */
interface Query {
  request: number;
  asker: number;
  name: string;
  arguments: object;
}

/** Milliseconds after which an answer of a kernel that is free counts as lost, and the next question is asked. */
const PATIENCE = 30_000;

type Receiver = (answer: AnswerMessage | null, buffers: DataView[]) => void;

export class Queries {
  private requests = 0;
  private askers = 0;
  private readonly waiting = new Map<number, Receiver>();

  /** `send` returns false if nothing can be sent. */
  constructor(
    private readonly link: () => Link,
    private readonly send: (query: Query, buffers: ArrayBuffer[]) => boolean,
  ) {}

  newAsker(): number {
    return this.askers++;
  }

  /** Ask; `done` is called once, with null if no answer comes. */
  ask(asker: number, name: string, args: object, points: readonly Uint32Array[], done: Receiver): void {
    const request = ++this.requests;
    const sent = this.send({ request, asker, name, arguments: args }, points.map((indices) => indices.slice().buffer));
    if (!sent) {
      done(null, []);
      return;
    }
    const stop = waitFor(this.link(), PATIENCE, () => this.settle(request, null, []));
    this.waiting.set(request, (answer, buffers) => {
      stop();
      done(answer, buffers);
    });
  }

  receive(message: AnswerMessage, buffers: DataView[]): void {
    this.settle(message.request, message, buffers);
  }

  /** Nothing that was asked will be answered any more. */
  abandon(): void {
    for (const request of [...this.waiting.keys()]) this.settle(request, null, []);
  }

  private settle(request: number, answer: AnswerMessage | null, buffers: DataView[]): void {
    const done = this.waiting.get(request);
    this.waiting.delete(request);
    done?.(answer, buffers);
  }
}

type Then<N extends QueryName> = (answer: QueryAnswers[N]) => void;

export class Answers<N extends QueryName> {
  /** The newest answer; it stays while the next is awaited, so `pending` says that it may be of an older question. */
  readonly value: Signal<QueryAnswers[N] | null> = signal(null);
  readonly pending = signal(false);
  /** Why the newest question has no answer. */
  readonly error = signal("");
  private readonly asker: number;
  private next: { args: QueryArguments[N]; points: QueryPoints[N]; then: Then<N> } | null = null;
  /** Counts what makes an answer under way unwanted. */
  private turn = 0;

  constructor(
    private readonly queries: Queries,
    private readonly name: N,
  ) {
    this.asker = queries.newAsker();
  }

  /** Ask; while an answer is awaited, the newest question waits for it. `then` gets the answer to this very question. */
  ask(args: QueryArguments[N], points: QueryPoints[N], then: Then<N> = () => undefined): void {
    this.next = { args, points, then };
    if (!this.pending.peek()) this.advance();
  }

  /** Forget the answer, and what was asked. */
  clear(): void {
    this.turn++;
    this.next = null;
    this.value.value = null;
    this.error.value = "";
    this.pending.value = false;
  }

  private advance(): void {
    if (!this.next) return;
    const { args, points, then } = this.next;
    this.next = null;
    this.pending.value = true;
    const turn = ++this.turn;
    this.queries.ask(this.asker, this.name, args, points as readonly Uint32Array[], (answer, buffers) => {
      if (turn === this.turn) this.take(answer, buffers, then);
    });
  }

  private take(answer: AnswerMessage | null, buffers: DataView[], then: Then<N>): void {
    this.pending.value = false;
    this.error.value = problemOf(answer);
    const found = answer && answer.error === null ? readAnswer(this.name, answer, buffers) : null;
    this.value.value = found;
    if (found) then(found);
    this.advance();
  }
}

/** Why a question has no answer, "" if it has one. */
export function problemOf(answer: AnswerMessage | null): string {
  return answer === null ? strings.noAnswer : (answer.error ?? "");
}

export function readAnswer<N extends QueryName>(name: N, { fields }: AnswerMessage, buffers: DataView[]): QueryAnswers[N] {
  const forms = (QUERY_BUFFERS as Record<string, readonly (readonly [string, Parameters<typeof typedArray>[0]])[]>)[name];
  const arrays = forms.map(([key, form], k) => [key, typedArray(form, buffers[k])]);
  return { ...fields, ...Object.fromEntries(arrays) } as QueryAnswers[N];
}
