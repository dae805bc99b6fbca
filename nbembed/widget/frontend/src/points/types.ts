/** The interface of point renderers. */
import type { Camera } from "../state/camera";

/** How each point is drawn. */
export interface PointStyles {
  /** RGBA, four bytes for each point, not premultiplied. */
  colors: Uint8Array;
  /** Shape index, diameter in quarter pixels, flags, fill opacity: four bytes for each point. */
  marks: Uint8Array;
  /** Drawing order, from bottom to top. */
  order: Uint32Array;
  /** Where in `order` each layer begins, and its end: plain points, labeled or linked ones, selected ones. */
  layers: [number, number, number, number];
}

/** Bits of the flags byte. */
export const FLAG = { selected: 1, outlined: 2, linked: 4 } as const;

/**
 * A labeled point has a rim inside its marker, so that it covers nothing beside it: so wide in CSS
 * pixels, or that share of the radius of a small one; its color is that share of the theme's accent
 * and for the rest the class's, of a selected point, which has an outline, the class's alone.
 */
export const RIM = { width: 0.9, share: 0.26, accent: 0.36 } as const;

/** Opacity that points keep while others are selected, as a share: unlabeled ones and labeled ones. */
const UNSELECTED = { plain: 0.3, labeled: 0.5 } as const;

/**
 * What the picture drawn so far keeps of its opacity after each layer, so that points are faint also
 * where many lie on each other.
 */
export function kept({ layers: [, marked, selected, end] }: PointStyles): [afterPlain: number, afterMarked: number] {
  if (end <= selected) return [1, 1];
  return selected > marked ? [UNSELECTED.plain / UNSELECTED.labeled, UNSELECTED.labeled] : [UNSELECTED.plain, 1];
}

/**
 * The outline of a selected point: that share of its radius, within these CSS pixels, so that it does
 * not outweigh the color of a small one; and how far the ground shows beyond it.
 */
export const OUTLINE = { share: 0.3, least: 0.6, most: 1.1, halo: 0.5 } as const;

/** How wide the outline of a point is whose radius is given in pixels, `ratio` of them to a CSS pixel. */
export function outlineOf(radius: number, ratio: number): number {
  return Math.min(OUTLINE.most * ratio, Math.max(OUTLINE.least * ratio, OUTLINE.share * radius));
}

/**
 * Selected points are drawn in these steps, each of all of them: where they lie close, their outlines
 * surround them together and cover the color of none.
 */
export const STEPS = ["halo", "outline", "body"] as const;

/** Colors that belong to the theme rather than to a point; RGB in 0–255. */
export interface ThemeColors {
  background: [number, number, number];
  accent: [number, number, number];
}

export interface PointRenderer {
  readonly kind: "webgl" | "raster";
  readonly canvas: HTMLCanvasElement;
  resize(width: number, height: number, ratio: number): void;
  /** x, y interleaved, in the units of the data. */
  setPositions(positions: Float32Array): void;
  setStyles(styles: PointStyles): void;
  setThemeColors(ink: ThemeColors): void;
  draw(camera: Camera): void;
  /** Releases the context: browsers allow only sixteen. */
  destroy(): void;
}
