/** What a point renderer takes and does, whichever way it draws. */
import type { Camera } from "../map/camera";

/** How each point looks. One entry a sample. */
export interface Look {
  /** RGBA, four bytes a sample, not premultiplied. */
  colors: Uint8Array;
  /** Shape index, diameter in quarter pixels, flags, fill opacity: four bytes a sample. */
  marks: Uint8Array;
  /** Drawing order: later ones lie on top. */
  order: Uint32Array;
}

/** Bits of the flags byte. */
export const FLAG = { selected: 1, outlined: 2, linked: 4 } as const;

/** Colors that belong to the theme rather than to a point; RGB in 0–255. */
export interface Ink {
  background: [number, number, number];
  accent: [number, number, number];
}

export interface PointRenderer {
  readonly kind: "webgl" | "raster";
  readonly canvas: HTMLCanvasElement;
  resize(width: number, height: number, ratio: number): void;
  /** x, y interleaved, in the units of the data. */
  setPositions(positions: Float32Array): void;
  setLook(look: Look): void;
  setInk(ink: Ink): void;
  draw(camera: Camera): void;
  /** Gives the context back: browsers allow sixteen of them. */
  destroy(): void;
}
