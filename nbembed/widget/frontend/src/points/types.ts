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
 * and for the rest the class's.
 */
export const RIM = { width: 0.9, share: 0.26, accent: 0.36 } as const;

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
