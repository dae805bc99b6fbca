/**
 * News where the host delivers only what answers a message: the page asks, one question at a time,
 * often while the map moves and seldom while it rests.
 */

/** Milliseconds from an answer to the next question. */
const MOVING = 25;
const RESTING = 250;
const HIDDEN = 2000;
/** Milliseconds after which a question that is not answered is asked again. */
const PATIENCE = 5000;

export class Polling {
  private timer: ReturnType<typeof setTimeout> | undefined;
  private ended = false;

  constructor(
    private readonly ask: () => void,
    private readonly moving: () => boolean,
    private readonly visible: () => boolean,
  ) {
    this.wait(0);
  }

  /** The kernel has answered something. */
  answered(): void {
    this.wait(this.visible() ? (this.moving() ? MOVING : RESTING) : HIDDEN);
  }

  destroy(): void {
    this.ended = true;
    clearTimeout(this.timer);
  }

  private wait(milliseconds: number): void {
    clearTimeout(this.timer);
    if (this.ended) return;
    this.timer = setTimeout(() => {
      this.ask();
      this.wait(PATIENCE);
    }, milliseconds);
  }
}
