/**
 * Drawn over the map while somebody asks why: lines from a point to its neighbors, the forces on it as
 * arrows, and the map without labels as faint points.
 */
import { shown } from "../points/contrast";
import type { Store } from "../state/store";
import { parseColor, rgba, type RGB, type Theme } from "../host/theme";
import { PULLING, type Why } from "../state/why";
import type { Role } from "../wire/wire.generated";
import { toScreen, type Camera, type Size } from "../state/camera";
import * as strings from "../strings";

/** Length in pixels of the longest arrow, and of the shortest that is drawn. */
const LONGEST = 84;
const SHORTEST = 3;
/** Opacity of points of the map without labels, in 255. */
const GHOST = 120;
/** Selected points of which a line leads to their places without labels. */
const MOST_MOVES = 300;

type Kind = "kept" | "missing" | "false";
type Place = [number, number];

/** Dashes of the line to each kind of neighbor, so that colors are not all that tells them apart. */
const DASHES: Record<Kind, number[]> = { kept: [], missing: [7, 4], false: [1.5, 4] };

interface GhostImage {
  key: readonly unknown[];
  canvas: HTMLCanvasElement;
}

export class WhyDrawing {
  private colors: { theme: Theme; named: Record<string, RGB> } | null = null;
  private ghost: GhostImage | null = null;

  constructor(
    private readonly root: HTMLElement,
    private readonly store: Store,
    private readonly why: Why,
  ) {}

  /** Read all that is drawn, so that an effect that calls this hears of changes. */
  watch(): void {
    const { open, point, lines, arrows, ghost, near, forces, unsupervised } = this.why;
    void [open.value, point.value, lines.value, arrows.value, ghost.value, near.value.value, forces.value.value, unsupervised.value.value];
  }

  draw(context: CanvasRenderingContext2D, ratio: number, camera: Camera, size: Size, positions: Float32Array, theme: Theme): void {
    const { why } = this;
    if (!why.open.peek()) return;
    const point = why.point.peek();
    const at = (i: number): Place => toScreen(camera, size, positions[2 * i], positions[2 * i + 1]);
    const there = point >= 0 && 2 * point + 1 < positions.length;
    if (why.ghost.peek()) this.drawGhost(context, ratio, camera, size, positions, theme, point);
    if (!there) return;
    if (why.lines.peek()) this.drawLines(context, point, at, positions.length >> 1, theme);
    if (why.arrows.peek()) this.drawArrows(context, point, at(point), theme);
  }

  private drawLines(context: CanvasRenderingContext2D, point: number, at: (i: number) => Place, n: number, theme: Theme): void {
    const near = this.why.near.value.peek();
    if (near?.point !== point) return;
    const [x, y] = at(point);
    // What the map keeps lies below what it does not.
    for (const kind of ["kept", "false", "missing"] as const) {
      const places = [...near[kind]].filter((i) => i < n).map(at);
      const path = (): void => {
        context.beginPath();
        for (const [ex, ey] of places) {
          const length = Math.hypot(ex - x, ey - y);
          if (length > 4) {
            context.moveTo(x, y);
            context.lineTo(ex - (4 * (ex - x)) / length, ey - (4 * (ey - y)) / length);
          }
        }
      };
      const rings = (): void => {
        context.beginPath();
        for (const [ex, ey] of places) {
          context.moveTo(ex + 4, ey);
          context.arc(ex, ey, 4, 0, 2 * Math.PI);
        }
      };
      const strokes: [number, string][] = [[3.5, rgba(theme.background, 0.75)], [kind === "kept" ? 1.4 : 1.8, rgba(this.color(kind, theme), 0.95)]];
      for (const [width, color] of strokes) {
        context.lineWidth = width;
        context.strokeStyle = color;
        context.setLineDash(DASHES[kind]);
        path();
        context.stroke();
        context.setLineDash([]);
        rings();
        context.stroke();
      }
    }
  }

  private drawArrows(context: CanvasRenderingContext2D, point: number, from: Place, theme: Theme): void {
    const found = this.why.forces.value.peek();
    if (found?.point !== point) return;
    const forces: [Role | "total", number, number][] = [];
    for (const role of PULLING) for (const term of found.terms) if (term.role === role) forces.push([role, ...term.force]);
    if (forces.length > 1) forces.push([strings.total, ...found.total]);
    const longest = Math.max(...forces.map(([, fx, fy]) => Math.hypot(fx, fy)));
    if (!(longest > 0)) return;
    for (const [role, fx, fy] of forces) {
      const length = (LONGEST * Math.hypot(fx, fy)) / longest;
      if (length < SHORTEST) continue;
      // y points up in the data, down on the screen.
      const [ux, uy] = [fx / Math.hypot(fx, fy), -fy / Math.hypot(fx, fy)];
      drawArrow(context, from, [ux, uy], length, rgba(theme.background, 0.9), rgba(this.color(role, theme), 1), role === "total" ? 1.5 : 2.75);
    }
  }

  private drawGhost(context: CanvasRenderingContext2D, ratio: number, camera: Camera, size: Size, positions: Float32Array, theme: Theme, point: number): void {
    const places = this.why.unsupervised.value.peek()?.positions;
    if (!places?.length) return;
    context.drawImage(this.ghostImage(ratio, camera, size, places, theme), 0, 0, size.width, size.height);
    const at = (of: Float32Array, i: number): Place => toScreen(camera, size, of[2 * i], of[2 * i + 1]);
    context.lineWidth = 1;
    context.strokeStyle = rgba(theme.foreground, 0.3);
    context.beginPath();
    for (const i of this.store.traits.selection.peek().subarray(0, MOST_MOVES)) {
      if (2 * i + 1 >= Math.min(places.length, positions.length)) continue;
      context.moveTo(...at(positions, i));
      context.lineTo(...at(places, i));
    }
    context.stroke();
    if (point < 0 || 2 * point + 1 >= Math.min(places.length, positions.length)) return;
    const [from, [x, y]] = [at(positions, point), at(places, point)];
    for (const [width, color] of [[3.5, rgba(theme.background, 0.85)], [1.25, rgba(theme.foreground, 0.85)]] as const) {
      context.lineWidth = width;
      context.strokeStyle = color;
      context.setLineDash([2, 3]);
      context.beginPath();
      context.moveTo(...from);
      context.lineTo(x, y);
      context.stroke();
      context.setLineDash([]);
      context.beginPath();
      context.arc(x, y, 4.5, 0, 2 * Math.PI);
      context.stroke();
    }
  }

  /** The map without labels as a picture, kept until the view, the points or their colors change. */
  private ghostImage(ratio: number, camera: Camera, size: Size, places: Float32Array, theme: Theme): HTMLCanvasElement {
    const labels = this.store.traits.label_codes.peek();
    const classes = this.store.traits.classes.peek();
    const key = [ratio, camera.x, camera.y, camera.scale, size.width, size.height, places, labels, classes, theme] as const;
    if (this.ghost?.key.every((part, i) => part === key[i])) return this.ghost.canvas;
    const canvas = this.ghost?.canvas ?? document.createElement("canvas");
    this.ghost = { key, canvas };
    const [width, height] = [Math.round(size.width * ratio), Math.round(size.height * ratio)];
    [canvas.width, canvas.height] = [width, height];
    const context = canvas.getContext("2d");
    if (!context || !width || !height) return canvas;
    const image = context.createImageData(width, height);
    const pixels = new Uint32Array(image.data.buffer);
    const packed = ([r, g, b]: RGB): number => ((GHOST << 24) | (b << 16) | (g << 8) | r) >>> 0;
    const [plain, colors] = [packed(theme.neutral), classes.map(({ color }) => packed(shown(color, theme)))];
    const side = Math.max(2, Math.round((places.length > 2e4 ? 1.5 : 3) * ratio));
    for (let i = 0; 2 * i + 1 < places.length; i++) {
      const [sx, sy] = toScreen(camera, size, places[2 * i], places[2 * i + 1]);
      const left = Math.round(sx * ratio - side / 2);
      const top = Math.round(sy * ratio - side / 2);
      if (!(left >= 0 && top >= 0 && left + side <= width && top + side <= height)) continue;
      const color = colors[labels[i]] ?? plain;
      for (let y = top; y < top + side; y++) pixels.fill(color, y * width + left, y * width + left + side);
    }
    context.putImageData(image, 0, 0);
    return canvas;
  }

  /** A color of why.css, for the present theme. */
  private color(name: string, theme: Theme): RGB {
    if (this.colors?.theme !== theme) this.colors = { theme, named: {} };
    const { named } = this.colors;
    return (named[name] ??= parseColor(getComputedStyle(this.root).getPropertyValue(`--nbe-why-${name}`).trim()));
  }
}

/** An arrow with a halo; short ones have a small head. */
function drawArrow(context: CanvasRenderingContext2D, [x, y]: Place, [ux, uy]: Place, length: number, halo: string, color: string, width: number): void {
  const head = Math.min(9, 0.6 * length);
  const [ex, ey] = [x + ux * length, y + uy * length];
  const [bx, by] = [ex - ux * head, ey - uy * head];
  for (const [stroke, more] of [[halo, 2.5], [color, 0]] as const) {
    context.strokeStyle = context.fillStyle = stroke;
    context.lineWidth = width + more;
    context.beginPath();
    context.moveTo(x, y);
    context.lineTo(bx, by);
    context.stroke();
    context.beginPath();
    context.moveTo(ex, ey);
    context.lineTo(bx - uy * head * 0.5, by + ux * head * 0.5);
    context.lineTo(bx + uy * head * 0.5, by - ux * head * 0.5);
    context.closePath();
    context.lineWidth = more;
    if (more) context.stroke();
    context.fill();
  }
}
