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
  private ground: Float32Array | null = null;
  private other: Float32Array | null = null;
  private share = 0;
  /** The places drawn last, where they are not those of the map itself; else null. */
  mixture: Float32Array | null = null;

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

  /** Show other places in place of the map (`ground`), and blend with another map: a share of 0 shows nothing of it, 1 nothing else. */
  blend(ground: Float32Array | null, other: Float32Array | null, share: number): void {
    this.ground = ground;
    this.other = other;
    this.share = share;
  }

  /** The positions to draw now. */
  positions(now: number): Float32Array {
    const own = this.own(now);
    const { ground, other, share } = this;
    this.mixture = other && share > 0 && other.length === own.length ? mixed(ground ?? own, other, share) : ground;
    return this.mixture ?? own;
  }

  private own(now: number): Float32Array {
    const { from, to } = this;
    const t = (now - this.began) / LENGTH;
    if (!from || t >= 1) {
      this.from = null;
      return (this.shown = to);
    }
    const eased = 1 - (1 - Math.max(t, 0)) ** 3;
    return (this.shown = mixed(from, to, eased));
  }
}

/** Moves evenly from one layout to the next, where they come at a steady pace of their own. */
export class Glide {
  private from: Float32Array = new Float32Array(0);
  private to: Float32Array = new Float32Array(0);
  private shown: Float32Array = new Float32Array(0);
  private began = 0;
  private length = 0;

  constructor(private readonly still: () => boolean = () => matchMedia("(prefers-reduced-motion: reduce)").matches) {}

  /** A new layout, to be reached in `length` milliseconds. */
  aim(positions: Float32Array, length: number, now: number): void {
    const known = this.shown.length === positions.length && !this.still();
    this.from = known ? this.shown : positions;
    this.to = positions;
    this.began = now;
    this.length = known ? length : 0;
  }

  get moving(): boolean {
    return this.shown !== this.to;
  }

  positions(now: number): Float32Array {
    const t = this.length > 0 ? (now - this.began) / this.length : 1;
    this.shown = t >= 1 ? this.to : mixed(this.from, this.to, Math.max(t, 0));
    return this.shown;
  }
}

/** The places that lie a share of the way from one layout to another. */
function mixed(from: Float32Array, to: Float32Array, share: number): Float32Array {
  const places = new Float32Array(to.length);
  for (let i = 0; i < to.length; i++) places[i] = from[i] + share * (to[i] - from[i]);
  return places;
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
