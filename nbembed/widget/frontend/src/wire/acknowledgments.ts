/**
 * Acknowledgments of frames: one for several small ones. For every message to the kernel JupyterLab
 * shows it as busy and then as idle, which draws the window's border anew and fetches an icon each time.
 */

/** Least number of milliseconds between two acknowledgments. */
const PACE = 120;
/** Frames of more bytes are acknowledged at once: few of them may be on their way. */
const LARGE = 100_000;

export class Acknowledgments {
  /** Frames that have come and not been settled, with their bytes. */
  private readonly due = new Map<number, number>();
  private settled = 0;
  private last = -Infinity;
  private timer: ReturnType<typeof setTimeout> | undefined;

  constructor(private readonly send: (seq: number) => void) {}

  /** A frame has come. */
  arrived(seq: number, bytes: number): void {
    this.due.set(seq, bytes);
  }

  /** A frame was drawn, or will not be; so were all before it. */
  settle(seq: number): void {
    const bytes = this.due.get(seq);
    if (bytes === undefined) return;
    for (const earlier of this.due.keys()) if (earlier <= seq) this.due.delete(earlier);
    this.settled = seq;
    const wait = bytes > LARGE ? 0 : this.last + PACE - performance.now();
    if (wait <= 0) this.flush();
    else this.timer ??= setTimeout(() => this.flush(), wait);
  }

  destroy(): void {
    clearTimeout(this.timer);
  }

  private flush(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
    this.last = performance.now();
    this.send(this.settled);
  }
}
