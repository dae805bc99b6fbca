/**
 * Marker shapes as signed distances. The shader and the raster renderer number them by their place
 * in the wire's list of symbols.
 *
 * Each distance is in units of the marker's radius, negative inside, for a point (x, y) with y up.
 * Sizes differ slightly so that all shapes look equally large.
 */
import { MARKER_CORNERS, MARKER_SYMBOLS, type MarkerSymbol } from "../wire/wire.generated";

export function shapeIndex(symbol: MarkerSymbol): number {
  return Math.max(0, MARKER_SYMBOLS.indexOf(symbol));
}

function box(x: number, y: number, w: number, h: number): number {
  const dx = Math.abs(x) - w;
  const dy = Math.abs(y) - h;
  return Math.hypot(Math.max(dx, 0), Math.max(dy, 0)) + Math.min(Math.max(dx, dy), 0);
}

/** A regular polygon with `sides` sides, one of them at the bottom, and inner radius `inner`. */
function polygon(x: number, y: number, sides: number, inner: number): number {
  const step = (2 * Math.PI) / sides;
  const angle = Math.atan2(x, -y);
  const folded = Math.abs(angle - step * Math.round(angle / step));
  return Math.hypot(x, y) * Math.cos(folded) - inner;
}

function star(x: number, y: number): number {
  const step = (2 * Math.PI) / 5;
  const angle = Math.atan2(x, y);
  const folded = Math.abs(angle - step * Math.round(angle / step));
  const r = Math.hypot(x, y);
  const px = r * Math.cos(folded);
  const py = r * Math.sin(folded);
  // The edge from the tip (1.2, 0) to the notch at half a step.
  const tip = 1.2;
  const notch = 0.52;
  const nx = notch * Math.cos(step / 2);
  const ny = notch * Math.sin(step / 2);
  const ex = nx - tip;
  const ey = ny;
  const length = Math.hypot(ex, ey);
  return ((px - tip) * ey - py * ex) / length;
}

const DISTANCES: Record<MarkerSymbol, (x: number, y: number) => number> = {
  circle: (x, y) => Math.hypot(x, y) - 0.96,
  square: (x, y) => box(x, y, 0.82, 0.82),
  triangle: (x, y) => polygon(x, y + 0.2, 3, 0.62),
  diamond: (x, y) => (Math.abs(x) + Math.abs(y) - 1.14) * Math.SQRT1_2,
  star,
  cross: (x, y) => Math.min(box(x, y, 1.0, 0.36), box(x, y, 0.36, 1.0)),
  wedge: (x, y) => polygon(x, -y + 0.2, 3, 0.62),
  pentagon: (x, y) => polygon(x, y, 5, 0.8),
  saltire: (x, y) => {
    const u = (x + y) * Math.SQRT1_2;
    const v = (x - y) * Math.SQRT1_2;
    return Math.min(box(u, v, 1.08, 0.34), box(u, v, 0.34, 1.08));
  },
  hexagon: (x, y) => polygon(x, y, 6, 0.86),
};
const BY_INDEX = MARKER_SYMBOLS.map((symbol) => DISTANCES[symbol]);

export function distance(shape: number, x: number, y: number): number {
  return BY_INDEX[shape](x, y);
}

/** The same distances for the fragment shader. */
export const SHAPES_GLSL = /* glsl */ `
float box(vec2 p, vec2 h) { vec2 d = abs(p) - h; return length(max(d, 0.0)) + min(max(d.x, d.y), 0.0); }
float fold(float angle, float s) { return abs(angle - s * floor(angle / s + 0.5)); }
float polygon(vec2 p, float sides, float inner) {
  return length(p) * cos(fold(atan(p.x, -p.y), 6.2831853 / sides)) - inner;
}
float star(vec2 p) {
  float s = 1.2566371;
  float f = fold(atan(p.x, p.y), s);
  vec2 q = length(p) * vec2(cos(f), sin(f));
  vec2 e = 0.52 * vec2(0.8090170, 0.5877853) - vec2(1.2, 0.0);
  return ((q.x - 1.2) * e.y - q.y * e.x) / length(e);
}
float shape(int kind, vec2 p) {
  if (kind == ${shapeIndex("circle")}) return length(p) - 0.96;
  if (kind == ${shapeIndex("square")}) return box(p, vec2(0.82));
  if (kind == ${shapeIndex("triangle")}) return polygon(p + vec2(0.0, 0.2), 3.0, 0.62);
  if (kind == ${shapeIndex("diamond")}) return (abs(p.x) + abs(p.y) - 1.14) * 0.70710678;
  if (kind == ${shapeIndex("star")}) return star(p);
  if (kind == ${shapeIndex("cross")}) return min(box(p, vec2(1.0, 0.36)), box(p, vec2(0.36, 1.0)));
  if (kind == ${shapeIndex("wedge")}) return polygon(vec2(p.x, 0.2 - p.y), 3.0, 0.62);
  if (kind == ${shapeIndex("saltire")}) {
    vec2 r = vec2(p.x + p.y, p.x - p.y) * 0.70710678;
    return min(box(r, vec2(1.08, 0.34)), box(r, vec2(0.34, 1.08)));
  }
  if (kind == ${shapeIndex("pentagon")}) return polygon(p, 5.0, 0.8);
  return polygon(p, 6.0, 0.86);
}
`;

/** The shape as an SVG path in a box of 20 × 20, y down. */
export function shapePath(symbol: MarkerSymbol): string {
  if (symbol === "circle") return "M10,2.4a7.6,7.6 0 1 0 .01,0z";
  const places = MARKER_CORNERS[symbol].map(([x, y]) => `${(10 + 7.6 * x).toFixed(2)},${(10 + 7.6 * y).toFixed(2)}`);
  return `M${places.join("L")}Z`;
}
