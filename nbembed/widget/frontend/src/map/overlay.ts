/** Drawn over the points: class directions, borders of regions, links, pins, centers, the lasso, hover and the keyboard cursor. */
import { inline } from "../state/cards";
import type { Center } from "../state/store";
import type { CardBox } from "./open_cards";
import type { NameTags } from "./name_tags";
import type { WhyDrawing } from "./why_drawing";
import type { ClassInfo } from "../wire/wire.generated";
import type { Theme } from "../host/theme";
import { shown } from "../points/contrast";
import { rgba } from "../host/theme";
import { toScreen, type Camera, type Size } from "../state/camera";
import { drawCenters } from "./centers";
import { seenDirections } from "./naming";

export interface OverlayState {
  camera: Camera;
  size: Size;
  theme: Theme;
  positions: Float32Array;
  links: number[][];
  cannotLinks: number[][][];
  pinned: Uint32Array;
  newRows: Uint32Array;
  centers: Center[];
  /** The first group of two, while the second is being selected or compared with it. */
  marked: Uint32Array | null;
  labels: Int32Array;
  classes: ClassInfo[];
  directions: [number, number][];
  directionColors: string[];
  borders: [number, number, number, number][];
  /** What is being drawn: a closed line, or with a radius the way of a brush. */
  lasso: { path: number[]; mode: string; radius: number } | null;
  hover: number;
  /** The point that the person is asked for, −1 if none. */
  asked: number;
  cursor: [number, number] | null;
  cursorPoint: number;
  cards: readonly CardBox[];
  tags: NameTags;
  reasons: WhyDrawing;
}

export function drawOverlay(context: CanvasRenderingContext2D, ratio: number, state: OverlayState): void {
  const { size } = state;
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  context.clearRect(0, 0, size.width, size.height);
  context.lineJoin = "round";
  context.lineCap = "round";
  drawDirections(context, state);
  drawBorders(context, state);
  drawNewRows(context, state);
  drawLinks(context, state);
  drawCannotLinks(context, state);
  drawPins(context, state);
  drawMarked(context, state);
  drawCenters(context, state);
  state.reasons.draw(context, ratio, state.camera, size, state.positions, state.theme);
  state.tags.draw(context, state.camera, size, state.positions, state.theme);
  drawCardLines(context, state);
  drawHover(context, state);
  drawAsked(context, state);
  drawLasso(context, state);
  drawCursor(context, state);
}

function drawDirections(context: CanvasRenderingContext2D, { camera, size, theme, directions, directionColors, classes }: OverlayState): void {
  if (!directions.length) return;
  const [ox, oy] = toScreen(camera, size, 0, 0);
  const rim = 12;
  const longest = Math.max(...directions.map(([x, y]) => Math.hypot(x, y)), 1e-9);
  context.font = "600 11px system-ui, -apple-system, 'Segoe UI', sans-serif";
  context.textAlign = "center";
  context.textBaseline = "middle";
  const seen = seenDirections(directions);
  directions.forEach(([dx, dy], k) => {
    if (!seen[k]) return;
    const length = Math.hypot(dx, dy);
    const ux = dx / length;
    const uy = -dy / length;
    const reach = Math.min(
      ux > 0 ? (size.width - rim - ox) / ux : ux < 0 ? (rim - ox) / ux : Infinity,
      uy > 0 ? (size.height - rim - oy) / uy : uy < 0 ? (rim - oy) / uy : Infinity,
    );
    if (!(reach > 20) || !Number.isFinite(reach)) return;
    const known = classes[k];
    const own = known?.color ?? directionColors[k];
    const color = own ? shown(own, theme) : theme.neutral;
    const ex = ox + ux * reach;
    const ey = oy + uy * reach;
    const fade = context.createLinearGradient(ox, oy, ex, ey);
    fade.addColorStop(0, rgba(color, 0));
    fade.addColorStop(1, rgba(color, 0.2 + (0.35 * length) / longest));
    context.strokeStyle = fade;
    context.lineWidth = 1.5;
    context.beginPath();
    context.moveTo(ox, oy);
    context.lineTo(ex, ey);
    context.stroke();
    const short = known ? inline(known.name, 16) : `${k + 1}`;
    const half = context.measureText(short).width / 2 + 7;
    const x = Math.min(Math.max(ex, half + 3), size.width - half - 3);
    const y = Math.min(Math.max(ey, 12), size.height - 12);
    context.fillStyle = rgba(theme.background, 0.88);
    context.beginPath();
    context.roundRect(x - half, y - 9, 2 * half, 18, 9);
    context.fill();
    context.strokeStyle = rgba(color, known ? 0.75 : 0.35);
    context.lineWidth = 1;
    context.stroke();
    context.fillStyle = rgba(theme.foreground, known ? 0.95 : 0.55);
    context.fillText(short, x, y + 0.5);
  });
}

/** Borders between the regions of classes: thin lines that stay behind everything that is said about points. */
function drawBorders(context: CanvasRenderingContext2D, { camera, size, theme, borders }: OverlayState): void {
  if (!borders.length) return;
  context.strokeStyle = rgba(theme.foreground, 0.4);
  context.lineWidth = 1;
  context.setLineDash([5, 4]);
  context.beginPath();
  for (const [ax, ay, bx, by] of borders) {
    context.moveTo(...toScreen(camera, size, ax, ay));
    context.lineTo(...toScreen(camera, size, bx, by));
  }
  context.stroke();
  context.setLineDash([]);
}

/** Pixels between marks of points that lie closer: then one mark stands for all of them, and what is below can be seen. */
const APART = 14;

/** Of the points in each square of `gap` pixels, one. */
function spaced(points: ArrayLike<number>, { camera, size, positions }: OverlayState, gap: number): ArrayLike<number> {
  const taken = new Set<number>();
  const result: number[] = [];
  for (let k = 0; k < points.length; k++) {
    const p = points[k];
    if (2 * p + 1 >= positions.length) continue;
    const [x, y] = toScreen(camera, size, positions[2 * p], positions[2 * p + 1]);
    const square = Math.floor(x / gap) * 1e6 + Math.floor(y / gap);
    if (taken.has(square)) continue;
    taken.add(square);
    result.push(p);
  }
  return result;
}

/** New rows: thin rings, one for all that lie together. */
function drawNewRows(context: CanvasRenderingContext2D, state: OverlayState): void {
  const { camera, size, theme, positions, labels, classes } = state;
  const shown = state.newRows.filter((p) => !classes[labels[p]]?.hidden);
  const radius = 3.8 * camera.markerScale;
  context.strokeStyle = rgba(theme.foreground, 0.7);
  context.lineWidth = 1;
  context.beginPath();
  for (const p of Array.from(spaced(shown, state, radius))) {
    const [x, y] = toScreen(camera, size, positions[2 * p], positions[2 * p + 1]);
    context.moveTo(x + radius, y);
    context.arc(x, y, radius, 0, 2 * Math.PI);
  }
  context.stroke();
}

/** A linked group: lines from its centroid to each point, or to one of those that lie together. */
function drawLinks(context: CanvasRenderingContext2D, state: OverlayState): void {
  const { camera, size, theme, positions, links, labels, classes } = state;
  context.lineWidth = 1;
  // The lines of many links are paler, so that the points under them can be seen.
  const pale = Math.min(1, Math.sqrt(20 / links.length));
  for (const group of links) {
    const points = group.filter((i) => 2 * i + 1 < positions.length);
    if (points.length < 2) continue;
    let mx = 0;
    let my = 0;
    for (const i of points) {
      mx += positions[2 * i] / points.length;
      my += positions[2 * i + 1] / points.length;
    }
    const shared = labels[points[0]] ?? -1;
    const color = shared >= 0 && classes[shared] ? shown(classes[shared].color, theme) : theme.foreground;
    const [cx, cy] = toScreen(camera, size, mx, my);
    context.strokeStyle = rgba(color, Math.max(0.06, pale * Math.max(0.1, 0.4 / Math.sqrt(1 + points.length / 12))));
    context.beginPath();
    for (const i of Array.from(spaced(points, state, 6))) {
      const [x, y] = toScreen(camera, size, positions[2 * i], positions[2 * i + 1]);
      context.moveTo(cx, cy);
      context.lineTo(x, y);
    }
    context.stroke();
  }
}

function centroidOf(positions: Float32Array, points: ArrayLike<number>): [number, number] | null {
  let x = 0;
  let y = 0;
  let n = 0;
  for (let i = 0; i < points.length; i++) {
    const p = points[i];
    if (2 * p + 1 >= positions.length) continue;
    x += positions[2 * p];
    y += positions[2 * p + 1];
    n++;
  }
  return n ? [x / n, y / n] : null;
}

/** A cannot-link: a dotted line between the centroids of both groups, crossed in the middle. */
function drawCannotLinks(context: CanvasRenderingContext2D, { camera, size, theme, positions, cannotLinks }: OverlayState): void {
  if (!cannotLinks.length) return;
  context.strokeStyle = rgba(theme.foreground, 0.6);
  context.lineWidth = 1.25;
  for (const [a, b] of cannotLinks) {
    const from = centroidOf(positions, a);
    const to = centroidOf(positions, b);
    if (!from || !to) continue;
    const [ax, ay] = toScreen(camera, size, ...from);
    const [bx, by] = toScreen(camera, size, ...to);
    const length = Math.hypot(bx - ax, by - ay);
    if (length < 1) continue;
    const ux = (bx - ax) / length;
    const uy = (by - ay) / length;
    const mx = (ax + bx) / 2;
    const my = (ay + by) / 2;
    context.setLineDash([2, 5]);
    context.beginPath();
    context.moveTo(ax, ay);
    context.lineTo(bx, by);
    context.stroke();
    context.setLineDash([]);
    context.beginPath();
    for (const shift of [-2.5, 2.5]) {
      context.moveTo(mx + shift * ux - 6 * uy, my + shift * uy + 6 * ux);
      context.lineTo(mx + shift * ux + 6 * uy, my + shift * uy - 6 * ux);
    }
    context.stroke();
  }
}

/** A pinned point: a stem with a ring at its head. */
function drawPins(context: CanvasRenderingContext2D, state: OverlayState): void {
  const { camera, size, theme, positions } = state;
  if (!state.pinned.length) return;
  const pinned = Array.from(spaced(state.pinned, state, APART));
  const stroke = (width: number, color: string): void => {
    context.lineWidth = width;
    context.strokeStyle = context.fillStyle = color;
    context.beginPath();
    for (const p of pinned) {
      if (2 * p + 1 >= positions.length) continue;
      const [x, y] = toScreen(camera, size, positions[2 * p], positions[2 * p + 1]);
      if (x < -12 || y < -12 || x > size.width + 12 || y > size.height + 20) continue;
      context.moveTo(x, y - 1);
      context.lineTo(x, y - 9);
      context.moveTo(x + 2.6, y - 11);
      context.arc(x, y - 11, 2.6, 0, 2 * Math.PI);
    }
    context.stroke();
    context.fill();
  };
  stroke(3.2, rgba(theme.background, 0.9));
  stroke(1.4, rgba(theme.foreground, 0.95));
}

/** The first group of two: dashed rings. */
function drawMarked(context: CanvasRenderingContext2D, state: OverlayState): void {
  const { camera, size, theme, positions, marked } = state;
  if (!marked) return;
  context.strokeStyle = rgba(theme.accent, 0.8);
  context.lineWidth = 1.25;
  context.setLineDash([2.5, 2.5]);
  for (const p of Array.from(spaced(marked, state, APART))) {
    if (2 * p + 1 >= positions.length) continue;
    const [x, y] = toScreen(camera, size, positions[2 * p], positions[2 * p + 1]);
    context.beginPath();
    context.arc(x, y, 6, 0, 2 * Math.PI);
    context.stroke();
  }
  context.setLineDash([]);
}

/** A line from each open card to its point, which has a ring. */
function drawCardLines(context: CanvasRenderingContext2D, { camera, size, theme, positions, cards }: OverlayState): void {
  for (const { point, left, top, width, height } of cards) {
    if (2 * point + 1 >= positions.length) continue;
    const [x, y] = toScreen(camera, size, positions[2 * point], positions[2 * point + 1]);
    const ex = Math.min(Math.max(x, left), left + width);
    const ey = Math.min(Math.max(y, top), top + height);
    const length = Math.hypot(ex - x, ey - y);
    const stroke = (lineWidth: number, color: string): void => {
      context.lineWidth = lineWidth;
      context.strokeStyle = color;
      context.beginPath();
      context.arc(x, y, 7, 0, 2 * Math.PI);
      if (length > 7) {
        context.moveTo(x + (7 * (ex - x)) / length, y + (7 * (ey - y)) / length);
        context.lineTo(ex, ey);
      }
      context.stroke();
    };
    stroke(3.5, rgba(theme.background, 0.85));
    stroke(1.5, rgba(theme.foreground, 0.9));
  }
}

function drawHover(context: CanvasRenderingContext2D, { camera, size, theme, positions, hover }: OverlayState): void {
  if (hover < 0 || 2 * hover + 1 >= positions.length) return;
  const [x, y] = toScreen(camera, size, positions[2 * hover], positions[2 * hover + 1]);
  context.strokeStyle = rgba(theme.foreground, 0.9);
  context.lineWidth = 1.5;
  context.beginPath();
  context.arc(x, y, 7, 0, 2 * Math.PI);
  context.stroke();
}

/** The point that is asked for: a ring with four ticks towards it, on a halo. */
function drawAsked(context: CanvasRenderingContext2D, { camera, size, theme, positions, asked }: OverlayState): void {
  if (asked < 0 || 2 * asked + 1 >= positions.length) return;
  const [x, y] = toScreen(camera, size, positions[2 * asked], positions[2 * asked + 1]);
  const stroke = (width: number, color: string): void => {
    context.lineWidth = width;
    context.strokeStyle = color;
    context.beginPath();
    context.arc(x, y, 11, 0, 2 * Math.PI);
    for (const [ux, uy] of [[1, 0], [-1, 0], [0, 1], [0, -1]]) {
      context.moveTo(x + 15 * ux, y + 15 * uy);
      context.lineTo(x + 24 * ux, y + 24 * uy);
    }
    context.stroke();
  };
  stroke(5, rgba(theme.background, 0.9));
  stroke(2, rgba(theme.foreground, 1));
}

function drawLasso(context: CanvasRenderingContext2D, { theme, lasso }: OverlayState): void {
  if (!lasso || lasso.path.length < 4) return;
  context.beginPath();
  context.moveTo(lasso.path[0], lasso.path[1]);
  for (let i = 2; i < lasso.path.length; i += 2) context.lineTo(lasso.path[i], lasso.path[i + 1]);
  if (lasso.radius) {
    context.strokeStyle = rgba(theme.accent, lasso.mode === "subtract" ? 0.12 : 0.22);
    context.lineWidth = 2 * lasso.radius;
    context.stroke();
    return;
  }
  context.closePath();
  context.fillStyle = rgba(theme.accent, 0.1);
  context.fill();
  context.strokeStyle = rgba(theme.accent, 0.95);
  context.lineWidth = 1.5;
  context.setLineDash(lasso.mode === "subtract" ? [5, 4] : []);
  context.stroke();
  context.setLineDash([]);
}

function drawCursor(context: CanvasRenderingContext2D, state: OverlayState): void {
  const { camera, size, theme, positions, cursor, cursorPoint } = state;
  if (!cursor) return;
  const [x, y] = toScreen(camera, size, cursor[0], cursor[1]);
  context.strokeStyle = rgba(theme.foreground, 0.85);
  context.lineWidth = 1.25;
  context.beginPath();
  for (const [ux, uy] of [[1, 0], [-1, 0], [0, 1], [0, -1]]) {
    context.moveTo(x + 4 * ux, y + 4 * uy);
    context.lineTo(x + 13 * ux, y + 13 * uy);
  }
  context.stroke();
  if (cursorPoint >= 0 && 2 * cursorPoint + 1 < positions.length) {
    const [px, py] = toScreen(camera, size, positions[2 * cursorPoint], positions[2 * cursorPoint + 1]);
    context.strokeStyle = rgba(theme.accent, 1);
    context.lineWidth = 2;
    context.beginPath();
    context.arc(px, py, 8, 0, 2 * Math.PI);
    context.stroke();
  }
}
