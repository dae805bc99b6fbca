/** Hit testing: the nearest point, the points inside a polygon, and those along a path. */

/** The point nearest to (x, y) within `radius`, all in data units; −1 if there is none. */
export function nearest(positions: Float32Array, x: number, y: number, radius: number): number {
  let best = radius * radius;
  let index = -1;
  for (let i = 0; i + 1 < positions.length; i += 2) {
    const dx = positions[i] - x;
    const dy = positions[i + 1] - y;
    const distance = dx * dx + dy * dy;
    if (distance <= best) {
      best = distance;
      index = i >> 1;
    }
  }
  return index;
}

/** Horizontal strips that a polygon's edges are sorted into; a point is tested against those of its own. */
const STRIPS = 128;

/** Points inside a closed polygon (x, y interleaved, same units), by the even-odd rule; in ascending order. */
export function insidePolygon(positions: Float32Array, polygon: readonly number[]): Uint32Array {
  const m = polygon.length;
  if (m < 6) return new Uint32Array(0);
  let left = Infinity;
  let right = -Infinity;
  let bottom = Infinity;
  let top = -Infinity;
  for (let j = 0; j < m; j += 2) {
    left = Math.min(left, polygon[j]);
    right = Math.max(right, polygon[j]);
    bottom = Math.min(bottom, polygon[j + 1]);
    top = Math.max(top, polygon[j + 1]);
  }
  const perUnit = top > bottom ? STRIPS / (top - bottom) : 0;
  const strip = (y: number): number => Math.min(STRIPS - 1, Math.floor((y - bottom) * perUnit));
  // Of each strip, the ends (x1, y1, x2, y2) of all edges that reach into it.
  const edges: number[][] = Array.from({ length: STRIPS }, () => []);
  for (let j = 0, k = m - 2; j < m; k = j, j += 2) {
    const ends = [polygon[j], polygon[j + 1], polygon[k], polygon[k + 1]];
    const last = strip(Math.max(ends[1], ends[3]));
    for (let s = strip(Math.min(ends[1], ends[3])); s <= last; s++) edges[s].push(...ends);
  }
  const inside = new Uint32Array(positions.length >> 1);
  let count = 0;
  for (let i = 0; i + 1 < positions.length; i += 2) {
    const x = positions[i];
    const y = positions[i + 1];
    if (!(x >= left && x <= right && y >= bottom && y <= top)) continue;
    const near = edges[strip(y)];
    let odd = false;
    for (let e = 0; e < near.length; e += 4) {
      const y1 = near[e + 1];
      const y2 = near[e + 3];
      if (y1 > y !== y2 > y && x < ((near[e + 2] - near[e]) * (y - y1)) / (y2 - y1) + near[e]) odd = !odd;
    }
    if (odd) inside[count++] = i >> 1;
  }
  return inside.slice(0, count);
}

/** Points within `radius` of a path (x, y interleaved, same units); in ascending order. */
export function nearPath(positions: Float32Array, path: readonly number[], radius: number): Uint32Array {
  const found = new Uint32Array(positions.length >> 1);
  let count = 0;
  if (path.length < 2) return found.slice(0, 0);
  const ways = thinned(path, radius / 4);
  let [left, right, bottom, top] = [Infinity, -Infinity, Infinity, -Infinity];
  for (let j = 0; j < ways.length; j += 2) {
    left = Math.min(left, ways[j] - radius);
    right = Math.max(right, ways[j] + radius);
    bottom = Math.min(bottom, ways[j + 1] - radius);
    top = Math.max(top, ways[j + 1] + radius);
  }
  const perUnit = top > bottom ? STRIPS / (top - bottom) : 0;
  const strip = (y: number): number => Math.max(0, Math.min(STRIPS - 1, Math.floor((y - bottom) * perUnit)));
  // Of each strip, the pieces (x, y, dx, dy, 1 / length²) of the path that a point in it may be near to.
  const pieces: number[][] = Array.from({ length: STRIPS }, () => []);
  for (let j = 0; j < Math.max(ways.length - 2, 2); j += 2) {
    const k = Math.min(j + 2, ways.length - 2);
    const [dx, dy] = [ways[k] - ways[j], ways[k + 1] - ways[j + 1]];
    const piece = [ways[j], ways[j + 1], dx, dy, dx || dy ? 1 / (dx * dx + dy * dy) : 0];
    const last = strip(Math.max(ways[j + 1], ways[k + 1]) + radius);
    for (let s = strip(Math.min(ways[j + 1], ways[k + 1]) - radius); s <= last; s++) pieces[s].push(...piece);
  }
  const reach = radius * radius;
  for (let i = 0; i + 1 < positions.length; i += 2) {
    const x = positions[i];
    const y = positions[i + 1];
    if (!(x >= left && x <= right && y >= bottom && y <= top)) continue;
    const near = pieces[strip(y)];
    for (let e = 0; e < near.length; e += 5) {
      const [px, py] = [x - near[e], y - near[e + 1]];
      const along = Math.max(0, Math.min(1, (px * near[e + 2] + py * near[e + 3]) * near[e + 4]));
      const [qx, qy] = [px - along * near[e + 2], py - along * near[e + 3]];
      if (qx * qx + qy * qy > reach) continue;
      found[count++] = i >> 1;
      break;
    }
  }
  return found.slice(0, count);
}

/** A path without the places that are nearer than `gap` to the one before; its ends stay. */
function thinned(path: readonly number[], gap: number): number[] {
  const kept = [path[0], path[1]];
  for (let j = 2; j < path.length; j += 2) {
    const far = Math.hypot(path[j] - kept[kept.length - 2], path[j + 1] - kept[kept.length - 1]) >= gap;
    if (far || j === path.length - 2) kept.push(path[j], path[j + 1]);
  }
  return kept;
}

/** True if two arrays, as sorted sets of points, are equal. */
export function same<A extends Uint32Array | Uint8Array>(a: A, b: A): boolean {
  return a.length === b.length && a.every((point, k) => point === b[k]);
}

export type Combine = "replace" | "add" | "subtract" | "intersect" | "toggle";

/** Sorted union, difference, intersection or symmetric difference of two sets of points. */
export function combine(before: Uint32Array, points: Uint32Array, how: Combine): Uint32Array {
  const added = points.slice().sort();
  if (how === "replace") return added;
  const old = before.slice().sort();
  const result = new Uint32Array(old.length + added.length);
  let count = 0;
  for (let i = 0, j = 0; i < old.length || j < added.length; ) {
    const a = i < old.length ? old[i] : Infinity;
    const b = j < added.length ? added[j] : Infinity;
    const point = Math.min(a, b);
    const kept = how === "add" || (how === "intersect" ? a === b : a < b || (how === "toggle" && b < a));
    if (kept) result[count++] = point;
    while (i < old.length && old[i] === point) i++;
    while (j < added.length && added[j] === point) j++;
  }
  return result.slice(0, count);
}
