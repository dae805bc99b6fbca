/**
 * Whether the kernel that made the widget is still there. The page learns of its end from whichever
 * comes first: the status of the kernel, where the notebook tells it; that the notebook gives the kernel
 * up, as after a restart of the server; the end of the widget's comm; a message that cannot be sent; or
 * a kernel that answers a later question of the notebook's and not the widget's. That it is said to be
 * idle shows nothing: while a cell runs, messages that it handles beside the cell make it look so.
 */
import { signal } from "@preact/signals";
import type { Model } from "./wire";

/** "busy": it has not answered for a while; "lost": the connection to it is down; "gone": it has ended. */
type LinkState = "live" | "busy" | "lost" | "gone";

interface Signal<T> {
  connect(slot: (sender: unknown, value: T) => void): void;
  disconnect(slot: (sender: unknown, value: T) => void): void;
}

/** What JupyterLab's widget managers know of the kernel; other hosts lack it. */
interface Kernel {
  readonly statusChanged?: Signal<string>;
  readonly connectionStatusChanged?: Signal<string>;
  readonly disposed?: Signal<void>;
  requestKernelInfo?(): Promise<unknown>;
}

const ENDED = new Set(["restarting", "autorestarting", "terminating", "dead"]);
/** Milliseconds after which a kernel that has nothing else to do should have answered. */
const ANSWER = 700;
/** Milliseconds without an answer after which the person is told. */
const PATIENCE = 3000;
/**
 * Milliseconds that an answer may take longer than the kernel's to the notebook, which comes on another
 * channel. The widget's is sent by a thread, which waits while other threads of the kernel compile.
 */
const GRACE = 10_000;

export class Link {
  readonly state = signal<LinkState>("live");
  private readonly cleanups: (() => void)[] = [];
  private asked = 0;
  private answered = 0;
  private asking = false;

  /** `ask` sends a message that the kernel answers; `onGone` is called whenever the kernel is lost. */
  constructor(
    private readonly model: Model,
    private readonly ask: () => void,
    private readonly onGone: () => void,
  ) {
    const end = () => this.end("its comm has ended");
    const doubt = () => {
      this.end("its comm has ended or is back");
      this.ask(); // the event does not say whether the comm ended or is back
    };
    for (const [event, heard] of [["comm:close", end], ["destroy", end], ["comm_live_update", doubt]] as const) {
      model.on(event, heard);
      this.cleanups.push(() => model.off(event, heard));
    }
    const kernel = this.kernel;
    const status = (_: unknown, value: string) => ENDED.has(value) && this.end(`it is ${value}`);
    const connection = (_: unknown, value: string) => {
      if (value === "connected") this.ask();
      else if (this.state.peek() !== "gone") this.state.value = "lost";
    };
    const givenUp = () => this.end("the notebook has given it up");
    kernel?.statusChanged?.connect(status);
    kernel?.connectionStatusChanged?.connect(connection);
    kernel?.disposed?.connect(givenUp);
    this.cleanups.push(
      () => kernel?.statusChanged?.disconnect(status),
      () => kernel?.connectionStatusChanged?.disconnect(connection),
      () => kernel?.disposed?.disconnect(givenUp),
    );
  }

  destroy(): void {
    for (const cleanup of this.cleanups) cleanup();
  }

  /** Send a message; false if that is impossible. */
  send(content: object, buffers: ArrayBuffer[] = []): boolean {
    try {
      this.model.send(content, undefined, buffers);
      return true;
    } catch {
      // The comm of a kernel that has ended refuses to send.
      this.end("its comm does not send");
      return false;
    }
  }

  /** Ask whether the kernel is there. */
  probe(): void {
    if (this.state.peek() === "live") this.ask();
  }

  /** Expect an answer to what has just been sent. */
  expect(): void {
    const number = ++this.asked;
    setTimeout(() => this.awaits(number) && void this.askKernel(), ANSWER);
    setTimeout(() => this.awaits(number) && (this.state.value = "busy"), PATIENCE);
  }

  /** Whether the question of this number should still be answered. */
  private awaits(number: number): boolean {
    return this.answered < number && this.state.peek() !== "gone" && this.state.peek() !== "lost";
  }

  /** The kernel handles questions in order: if it answers a later one, those before are not for it. */
  private async askKernel(): Promise<void> {
    const number = this.asked;
    if (this.asking) return;
    this.asking = true;
    try {
      await this.kernel?.requestKernelInfo?.().then(() => {
        setTimeout(() => this.awaits(number) && this.end("it answers others"), GRACE);
      });
    } catch {
      // The connection is lost, or the kernel was restarted: both are told by its status.
    } finally {
      this.asking = false;
    }
  }

  /** Any message from the kernel shows that it is there; an answer, that it has read what was sent. */
  heard(answer: boolean): void {
    if (answer) this.answered = this.asked;
    if (answer || this.state.peek() !== "busy") this.state.value = "live";
  }

  private end(why: string): void {
    if (this.state.peek() === "gone") return;
    console.info(`nbembed: the kernel counts as gone: ${why}`);
    this.state.value = "gone";
    this.onGone();
  }

  private get kernel(): Kernel | null {
    return (this.model.widget_manager as { kernel?: Kernel | null } | undefined)?.kernel ?? null;
  }
}
