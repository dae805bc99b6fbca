/**
 * Keeps the whole map in view while points move. The frame expands at once when points leave it,
 * contracts slowly, and ignores small changes.
 */
import { extentOf, frameExtent, type Camera, type Extent, type Size } from "../state/camera";

/** Time constant in seconds. */
const CONTRACTING = 0.45;
/** A frame at most this much wider than needed is left unchanged. */
const SLACK = 1.06;

export class Fit {
  private shown: Extent | null = null;
  private goal: Extent | null = null;
  private settled = true;

  /** `still`: whether the person prefers reduced motion; nothing is eased then. */
  constructor(private readonly still: () => boolean = () => matchMedia("(prefers-reduced-motion: reduce)").matches) {}

  /** A new layout; `jump` shows it at once, without easing. */
  aim(positions: Float32Array, jump: boolean, centers: readonly { x: number; y: number }[] = []): void {
    const extent = extentOf(positions);
    if (!extent) return;
    for (const { x, y } of centers) {
      extent.left = Math.min(extent.left, x);
      extent.right = Math.max(extent.right, x);
      extent.bottom = Math.min(extent.bottom, y);
      extent.top = Math.max(extent.top, y);
    }
    this.goal = extent;
    if (jump || !this.shown || this.still() || this.disparate(this.shown, extent)) this.shown = { ...extent };
    this.shown.left = Math.min(this.shown.left, extent.left);
    this.shown.right = Math.max(this.shown.right, extent.right);
    this.shown.bottom = Math.min(this.shown.bottom, extent.bottom);
    this.shown.top = Math.max(this.shown.top, extent.top);
    this.settled = false;
  }

  /** Advance by `seconds`; returns whether the frame is still moving. */
  step(seconds: number): boolean {
    const { shown, goal } = this;
    if (!shown || !goal || this.settled) return false;
    const span = Math.max(goal.right - goal.left, goal.top - goal.bottom, 1e-12);
    let moving = false;
    for (const key of ["left", "right", "bottom", "top"] as const) {
      const gap = goal[key] - shown[key];
      if (Math.abs(gap) < (span * (SLACK - 1)) / 2) continue;
      shown[key] += gap * (1 - Math.exp(-seconds / CONTRACTING));
      moving = true;
    }
    this.settled = !moving;
    return moving;
  }

  camera(size: Size): Camera | null {
    return this.shown ? frameExtent(this.shown, size) : null;
  }

  /** Whether scales differ too much for easing, as after a reset or a switch of the method. */
  private disparate(a: Extent, b: Extent): boolean {
    const ratio = Math.max(a.right - a.left, a.top - a.bottom, 1e-12) / Math.max(b.right - b.left, b.top - b.bottom, 1e-12);
    return ratio > 8 || ratio < 1 / 8;
  }
}
