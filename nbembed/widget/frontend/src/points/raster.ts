/**
 * Points without WebGL: small coverage masks, one for each shape and size, blended by hand into an
 * ImageData. It costs a few milliseconds at 20 000 points and needs nothing of the machine.
 */
import type { Camera } from "../map/camera";
import { FLAG, type Ink, type Look, type PointRenderer } from "./types";
import { distance } from "./shapes";

/** Coverage of a marker's parts over a square of `side` pixels, 0–255. */
interface Sprite {
  side: number;
  /** Coverage of halo, accent, ring, body and core, in this order; null where not drawn. */
  parts: { halo: Uint8Array | null; accent: Uint8Array | null; ring: Uint8Array | null; body: Uint8Array; core: Uint8Array | null };
}

export class RasterRenderer implements PointRenderer {
  readonly kind = "raster";
  private readonly context: CanvasRenderingContext2D | null;
  private image: ImageData | null = null;
  private width = 1;
  private height = 1;
  private ratio = 1;
  private positions: Float32Array = new Float32Array(0);
  private look: Look | null = null;
  private ink: Ink = { background: [255, 255, 255], accent: [0, 0, 0] };
  private sprites = new Map<number, Sprite>();
  private spriteScale = "";

  constructor(readonly canvas: HTMLCanvasElement) {
    this.context = canvas.getContext("2d", { willReadFrequently: true });
  }

  resize(width: number, height: number, ratio: number): void {
    this.width = width;
    this.height = height;
    this.ratio = ratio;
    this.canvas.width = Math.max(1, Math.round(width * ratio));
    this.canvas.height = Math.max(1, Math.round(height * ratio));
    this.image = null;
  }

  setPositions(positions: Float32Array): void {
    this.positions = positions;
  }

  setLook(look: Look): void {
    this.look = look;
  }

  setInk(ink: Ink): void {
    this.ink = ink;
  }

  draw(camera: Camera): void {
    const { context, look, positions, ratio } = this;
    if (!context || !look) return;
    const w = this.canvas.width;
    const h = this.canvas.height;
    this.image ??= context.createImageData(w, h);
    const pixels = this.image.data;
    const [br, bg, bb] = this.ink.background;
    // An opaque ground: blending onto it is one multiply a channel.
    new Uint32Array(pixels.buffer).fill((255 << 24) | (bb << 16) | (bg << 8) | br);
    const scale = camera.scale * ratio;
    const left = (this.width / 2) * ratio - camera.x * scale;
    const top = (this.height / 2) * ratio + camera.y * scale;
    const swell = (Math.round(camera.swell * 20) / 20) * ratio;
    if (this.spriteScale !== `${swell}`) {
      this.sprites.clear();
      this.spriteScale = `${swell}`;
    }
    const count = Math.min(look.order.length, positions.length / 2);
    for (let k = 0; k < count; k++) {
      const i = look.order[k];
      const x = left + positions[2 * i] * scale;
      const y = top - positions[2 * i + 1] * scale;
      if (!(x > -40 && y > -40 && x < w + 40 && y < h + 40)) continue;
      const m = 4 * i;
      const sprite = this.sprite(look.marks[m], look.marks[m + 1], look.marks[m + 2], swell);
      this.stamp(pixels, w, h, sprite, x, y, look.colors, m, look.marks[m + 3]);
    }
    context.putImageData(this.image, 0, 0);
  }

  destroy(): void {
    this.canvas.remove();
  }

  private stamp(
    pixels: Uint8ClampedArray, w: number, h: number, sprite: Sprite, x: number, y: number,
    colors: Uint8Array, at: number, fillOpacity: number,
  ): void {
    const { side, parts } = sprite;
    const x0 = Math.round(x - side / 2);
    const y0 = Math.round(y - side / 2);
    const r = colors[at];
    const g = colors[at + 1];
    const b = colors[at + 2];
    const alpha = colors[at + 3];
    const { background: ground, accent: accentColor } = this.ink;
    const { halo, accent, ring, body, core } = parts;
    const rows = Math.min(side, h - y0);
    const columns = Math.min(side, w - x0);
    for (let v = Math.max(0, -y0); v < rows; v++) {
      for (let u = Math.max(0, -x0); u < columns; u++) {
        const s = v * side + u;
        const o = ((y0 + v) * w + x0 + u) * 4;
        if (ring && ring[s]) blend(pixels, o, r, g, b, ring[s] * 204);
        if (halo && halo[s]) blend(pixels, o, ground[0], ground[1], ground[2], halo[s] * alpha);
        if (accent && accent[s]) blend(pixels, o, accentColor[0], accentColor[1], accentColor[2], accent[s] * alpha);
        if (body[s]) blend(pixels, o, r, g, b, body[s] * alpha);
        if (core && core[s] && fillOpacity < 255) {
          blend(pixels, o, ground[0], ground[1], ground[2], (core[s] * alpha * (255 - fillOpacity)) / 255);
        }
      }
    }
  }

  private sprite(shape: number, size: number, flags: number, swell: number): Sprite {
    const key = (shape << 16) | (size << 8) | flags;
    const known = this.sprites.get(key);
    if (known) return known;
    const made = makeSprite(shape, size * 0.125 * swell, flags, this.ratio);
    this.sprites.set(key, made);
    return made;
  }
}

/** Blend a color with opacity `weight` / 255² onto an opaque pixel. */
function blend(pixels: Uint8ClampedArray, o: number, r: number, g: number, b: number, weight: number): void {
  const a = weight / 65025;
  pixels[o] += (r - pixels[o]) * a;
  pixels[o + 1] += (g - pixels[o + 1]) * a;
  pixels[o + 2] += (b - pixels[o + 2]) * a;
}

function makeSprite(shape: number, radius: number, flags: number, ratio: number): Sprite {
  const plain = flags === 0;
  const rim = flags & (FLAG.selected | FLAG.linked) ? 3.4 * ratio : plain ? 0.75 : 1.5 * ratio;
  const side = Math.max(1, Math.ceil(2 * (radius * (plain ? 1 : 1.12) + rim)));
  const cover = (f: (d: number, r: number) => number): Uint8Array => {
    const mask = new Uint8Array(side * side);
    for (let v = 0; v < side; v++) {
      for (let u = 0; u < side; u++) {
        const x = u + 0.5 - side / 2;
        const y = side / 2 - v - 0.5;
        const r = Math.hypot(x, y);
        const d = plain ? r - radius : distance(shape, x / radius, y / radius) * radius;
        mask[v * side + u] = Math.round(255 * Math.min(1, Math.max(0, 0.5 - f(d, r))));
      }
    }
    return mask;
  };
  const selected = (flags & FLAG.selected) !== 0;
  const outlined = (flags & FLAG.outlined) !== 0;
  return {
    side,
    parts: {
      ring: flags & FLAG.linked ? cover((_, r) => Math.abs(r - radius - 2.4 * ratio) - 0.6 * ratio) : null,
      halo: selected ? cover((d) => d - 1.8 * ratio) : outlined ? cover((d) => d - ratio) : null,
      accent: selected ? cover((d) => d - 1.3 * ratio) : null,
      body: cover((d) => d),
      core: outlined ? cover((d) => d + 1.1 * ratio) : null,
    },
  };
}
