/**
 * Points without WebGL: small coverage masks, one for each shape and size, are blended into an
 * ImageData. A frame of 20 000 points takes a few milliseconds on any machine. More than MANY points
 * in view are drawn as a density (density.ts).
 */
import type { Camera } from "../state/camera";
import { Density, type Placement } from "./density";
import { FLAG, kept, OUTLINE, outlineOf, RIM, STEPS, type ThemeColors, type PointStyles, type PointRenderer } from "./types";
import { distance } from "./shapes";

/** Coverage of a marker's parts over a square of `side` pixels, 0–255. */
interface Sprite {
  side: number;
  /** Coverage of halo, accent, ring, body and core, in this order; null where not drawn. */
  parts: { halo: Uint8Array | null; accent: Uint8Array | null; ring: Uint8Array | null; body: Uint8Array; core: Uint8Array | null };
}

type Step = (typeof STEPS)[number];

/** Number of subpixel positions of sprites in each direction, so that points move smoothly and stay round. */
const PHASES = 4;
/** Above this number of points in view, a high-density screen is drawn on at CSS resolution, for speed. */
const FINE = 8000;
/**
 * Above these numbers in view, points are drawn as a density: plain ones, and labeled, linked or
 * selected ones, whose markers are larger and take longer to draw.
 */
export const MANY = 50000;
const MANY_MARKED = 5000;

export class RasterRenderer implements PointRenderer {
  readonly kind = "raster";
  private readonly context: CanvasRenderingContext2D | null;
  private image: ImageData | null = null;
  private pixels = new Uint32Array(0);
  private width = 1;
  private height = 1;
  private asked = 1;
  private ratio = 0;
  private positions: Float32Array = new Float32Array(0);
  private styles: PointStyles | null = null;
  private ground = 0;
  private accent = 0;
  private readonly density = new Density();
  private sprites = new Map<number, Sprite>();
  private spriteScale = 0;

  constructor(readonly canvas: HTMLCanvasElement) {
    this.context = canvas.getContext("2d", { willReadFrequently: true });
  }

  resize(width: number, height: number, ratio: number): void {
    this.width = width;
    this.height = height;
    this.asked = ratio;
    this.ratio = 0;
  }

  setPositions(positions: Float32Array): void {
    this.positions = positions;
  }

  setStyles(styles: PointStyles): void {
    this.styles = styles;
  }

  setThemeColors({ background, accent }: ThemeColors): void {
    this.ground = pack(...background);
    this.accent = pack(...accent);
  }

  draw(camera: Camera): void {
    const { context, styles, positions } = this;
    if (!context || !styles) return;
    const visible = this.inView(camera);
    this.allocate(context, visible[0] + visible[1] + visible[2]);
    const { ratio, pixels } = this;
    // The background is opaque, so that blending needs no alpha of the target.
    pixels.fill(this.ground | 0xff000000);
    const scale = camera.scale * ratio;
    const place = { left: (this.width / 2) * ratio - camera.x * scale, top: (this.height / 2) * ratio + camera.y * scale, scale };
    const markerScale = (Math.round(camera.markerScale * 20) / 20) * ratio;
    if (this.spriteScale !== markerScale) {
      this.sprites.clear();
      this.spriteScale = markerScale;
    }
    const { order, layers } = styles;
    const count = Math.min(order.length, positions.length / 2);
    const shares = kept(styles);
    visible.forEach((inView, layer) => {
      const first = layers[layer];
      const last = Math.min(layers[layer + 1], count);
      if (inView <= (layer === 0 ? MANY : MANY_MARKED)) {
        for (const step of layer === 2 ? STEPS : [null]) this.drawMarkers(first, last, place, markerScale, step);
      } else this.drawDensity(first, last, place, markerScale, layer === 2);
      this.fade(shares[layer] ?? 1);
    });
    if (this.image) context.putImageData(this.image, 0, 0);
  }

  /** How many points of each layer are in view. */
  private inView(camera: Camera): number[] {
    const { styles, positions } = this;
    const [rx, ry] = [this.width / 2 / camera.scale, this.height / 2 / camera.scale];
    const { order, layers } = styles!;
    return [0, 1, 2].map((layer) => {
      let inside = 0;
      for (let k = layers[layer]; k < Math.min(layers[layer + 1], positions.length / 2); k++) {
        const i = order[k];
        if (Math.abs(positions[2 * i] - camera.x) < rx && Math.abs(positions[2 * i + 1] - camera.y) < ry) inside++;
      }
      return inside;
    });
  }

  private drawDensity(first: number, last: number, place: Placement, markerScale: number, selected: boolean): void {
    const { order, colors, marks } = this.styles!;
    this.density.resize(this.canvas.width, this.canvas.height);
    const diameter = marks[4 * order[first] + 1] * 0.25 * markerScale;
    const splats = { positions: this.positions, colors, marks, order, first, last };
    this.density.draw(this.pixels, splats, place, diameter, this.ground, selected ? this.accent : undefined);
  }

  /** Let the picture so far keep a share of its opacity. */
  private fade(share: number): void {
    if (share === 1) return;
    const { pixels, ground } = this;
    const a = Math.round(256 * share);
    const [redBlue, green] = [(256 - a) * (ground & 0xff00ff), (256 - a) * (ground & 0x00ff00)];
    for (let i = 0; i < pixels.length; i++) {
      const p = pixels[i];
      pixels[i] =
        (((Math.imul(p & 0xff00ff, a) + redBlue) >>> 8) & 0xff00ff) | ((((p & 0x00ff00) * a + green) >>> 8) & 0x00ff00) | 0xff000000;
    }
  }

  /** Draw a step of all of them, or, with null, one after the other. */
  private drawMarkers(first: number, last: number, place: Placement, markerScale: number, step: Step | null): void {
    const { positions, pixels } = this;
    const { order, marks, colors } = this.styles!;
    const { left, top, scale } = place;
    const w = this.canvas.width;
    const h = this.canvas.height;
    for (let k = first; k < last; k++) {
      const i = order[k];
      const x = left + positions[2 * i] * scale;
      const y = top - positions[2 * i + 1] * scale;
      if (!(x > -40 && y > -40 && x < w + 40 && y < h + 40)) continue;
      const m = 4 * i;
      const column = Math.floor(x * PHASES);
      const row = Math.floor(y * PHASES);
      const sprite = this.sprite(marks[m], marks[m + 1], marks[m + 2], markerScale, column & (PHASES - 1), row & (PHASES - 1));
      const color = pack(colors[m], colors[m + 1], colors[m + 2]);
      const { side, parts } = sprite;
      const x0 = (column >> 2) - (side >> 1);
      const y0 = (row >> 2) - (side >> 1);
      const alpha = colors[m + 3] + 1;
      if (step === null || step === "halo") {
        if (parts.ring) stamp(pixels, w, h, parts.ring, side, x0, y0, color, 205);
        if (parts.halo) stamp(pixels, w, h, parts.halo, side, x0, y0, this.ground, alpha);
      }
      if (parts.accent && (step === null || step === "outline")) stamp(pixels, w, h, parts.accent, side, x0, y0, this.accent, alpha);
      if (step !== null && step !== "body") continue;
      stamp(pixels, w, h, parts.body, side, x0, y0, parts.core && !parts.accent ? mix(color, this.accent, RIM.accent) : color, alpha);
      // The fill of a labeled point is the paler the less sure its label.
      if (parts.core) stamp(pixels, w, h, parts.core, side, x0, y0, mix(this.ground, color, marks[m + 3] / 255), alpha);
    }
  }

  destroy(): void {
    this.canvas.remove();
  }

  private allocate(context: CanvasRenderingContext2D, inView: number): void {
    const ratio = inView > FINE ? 1 : this.asked;
    if (ratio === this.ratio) return;
    this.ratio = ratio;
    this.canvas.width = Math.max(1, Math.round(this.width * ratio));
    this.canvas.height = Math.max(1, Math.round(this.height * ratio));
    this.image = context.createImageData(this.canvas.width, this.canvas.height);
    this.pixels = new Uint32Array(this.image.data.buffer);
    this.sprites.clear();
  }

  private sprite(shape: number, size: number, flags: number, markerScale: number, column: number, row: number): Sprite {
    const key = (shape << 16) | (size << 8) | (flags << 4) | (column << 2) | row;
    const known = this.sprites.get(key);
    if (known) return known;
    const shift: [number, number] = [(column + 0.5) / PHASES, (row + 0.5) / PHASES];
    const made = makeSprite(shape, size * 0.125 * markerScale, flags, this.ratio, shift);
    this.sprites.set(key, made);
    return made;
  }
}

/** A color as a 32-bit word of an ImageData, on little-endian machines as all browsers have. */
function pack(r: number, g: number, b: number): number {
  return (b << 16) | (g << 8) | r;
}

/** `share` of one packed color and the rest of another. */
function mix(from: number, to: number, share: number): number {
  const part = (shift: number): number => {
    const a = (from >> shift) & 255;
    return Math.round(a + share * (((to >> shift) & 255) - a)) << shift;
  };
  return part(16) | part(8) | part(0);
}

/**
 * Blend a mask in one color onto opaque pixels; `alpha` is in 256ths. Red and blue share a
 * multiplication: their products do not overlap, being 16 bits apart.
 */
function stamp(
  pixels: Uint32Array, w: number, h: number, mask: Uint8Array, side: number,
  x0: number, y0: number, color: number, alpha: number,
): void {
  const redBlue = color & 0xff00ff;
  const green = color & 0x00ff00;
  const first = x0 < 0 ? -x0 : 0;
  const last = x0 + side > w ? w - x0 : side;
  const bottom = y0 + side > h ? h - y0 : side;
  for (let v = y0 < 0 ? -y0 : 0; v < bottom; v++) {
    const row = (y0 + v) * w + x0;
    const line = v * side;
    for (let u = first; u < last; u++) {
      const cover = mask[line + u];
      if (cover === 0) continue;
      // Full coverage is 256 of 256 parts: what is stamped on another part hides it wholly.
      const a = ((cover + (cover >> 7)) * alpha + 128) >> 8;
      const p = pixels[row + u];
      const b = 256 - a;
      pixels[row + u] =
        (((Math.imul(redBlue, a) + Math.imul(p & 0xff00ff, b)) >>> 8) & 0xff00ff) |
        (((green * a + (p & 0x00ff00) * b) >>> 8) & 0x00ff00) |
        0xff000000;
    }
  }
}

/** `shift` is the subpixel position of the marker's center in the middle pixel. */
function makeSprite(shape: number, radius: number, flags: number, ratio: number, shift: [number, number]): Sprite {
  const plain = flags === 0;
  const rim = flags & (FLAG.selected | FLAG.linked) ? 3.4 * ratio : plain ? 0.75 : 1.5 * ratio;
  const side = 2 * Math.ceil(radius * (plain ? 1 : 1.12) + rim) + 1;
  const middle = side >> 1;
  const cover = (f: (d: number, r: number) => number): Uint8Array => {
    const mask = new Uint8Array(side * side);
    for (let v = 0; v < side; v++) {
      for (let u = 0; u < side; u++) {
        const x = u + 0.5 - middle - shift[0];
        const y = middle + shift[1] - v - 0.5;
        const r = Math.hypot(x, y);
        const d = plain ? r - radius : distance(shape, x / radius, y / radius) * radius;
        mask[v * side + u] = Math.round(255 * Math.min(1, Math.max(0, 0.5 - f(d, r))));
      }
    }
    return mask;
  };
  const selected = (flags & FLAG.selected) !== 0;
  const line = outlineOf(radius, ratio);
  const outlined = (flags & FLAG.outlined) !== 0;
  return {
    side,
    parts: {
      ring: flags & FLAG.linked ? cover((_, r) => Math.abs(r - radius - 2.4 * ratio) - 0.6 * ratio) : null,
      halo: selected ? cover((d) => d - line - OUTLINE.halo * ratio) : null,
      accent: selected ? cover((d) => d - line) : null,
      body: cover((d) => d),
      core: outlined ? cover((d) => d + Math.min(RIM.width * ratio, RIM.share * radius)) : null,
    },
  };
}
