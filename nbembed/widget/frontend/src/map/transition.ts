/**
 * Animates jumps. The steps of a run are drawn as they come. A layout that is far from the last one
 * and comes alone (a new closed-form solution, a step of the path, a snapshot) is animated, so that
 * the eye can follow the points.
 */

/** Milliseconds of a transition, and without a layout after which the next one comes alone. */
const LENGTH = 200;
const QUIET = 150;
/** RMS displacement, relative to the size of the map, above which a change is a jump. */
const JUMP = 0.02;

export class Transition {
  private from: Float32Array | null = null;
  private to: Float32Array = new Float32Array(0);
  private shown: Float32Array = new Float32Array(0);
  private began = 0;
  private last = -Infinity;

  constructor(private readonly still: () => boolean = () => matchMedia("(prefers-reduced-motion: reduce)").matches) {}

  /** A new layout; `fresh` shows it at once. */
  aim(positions: Float32Array, fresh: boolean, now: number): void {
    const alone = now - this.last > QUIET;
    this.last = now;
    const known = !fresh && this.shown.length === positions.length && !this.still();
    // A layout that hardly differs from the target (a run that has converged) does not end the transition.
    if (this.from && known && move(this.to, positions) < JUMP / 10) {
      this.to = positions;
      return;
    }
    this.from = known && alone && move(this.shown, positions) > JUMP ? this.shown.slice() : null;
    this.to = positions;
    this.began = now;
  }

  get moving(): boolean {
    return this.from !== null;
  }

  /** The positions to draw now. */
  positions(now: number): Float32Array {
    const { from, to } = this;
    const t = (now - this.began) / LENGTH;
    if (!from || t >= 1) {
      this.from = null;
      return (this.shown = to);
    }
    const eased = 1 - (1 - Math.max(t, 0)) ** 3;
    const mixed = new Float32Array(to.length);
    for (let i = 0; i < to.length; i++) mixed[i] = from[i] + eased * (to[i] - from[i]);
    return (this.shown = mixed);
  }
}

/** RMS distance of two layouts, relative to the RMS radius of the second. */
function move(a: Float32Array, b: Float32Array): number {
  const n = b.length >> 1;
  if (!n || a.length !== b.length) return Infinity;
  let x = 0;
  let y = 0;
  let squares = 0;
  let moved = 0;
  for (let i = 0; i < b.length; i += 2) {
    x += b[i];
    y += b[i + 1];
    squares += b[i] * b[i] + b[i + 1] * b[i + 1];
    moved += (a[i] - b[i]) ** 2 + (a[i + 1] - b[i + 1]) ** 2;
  }
  const size = squares / n - (x * x + y * y) / (n * n);
  return Math.sqrt(moved / n / Math.max(size, 1e-30));
}
