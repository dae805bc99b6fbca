/** Hit testing: the nearest point, and the points inside a polygon. */

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

/** Points inside a closed polygon (x, y interleaved, same units), by the even-odd rule. */
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
  const inside: number[] = [];
  for (let i = 0; i + 1 < positions.length; i += 2) {
    const x = positions[i];
    const y = positions[i + 1];
    if (x < left || x > right || y < bottom || y > top) continue;
    let odd = false;
    for (let j = 0, k = m - 2; j < m; k = j, j += 2) {
      const y1 = polygon[j + 1];
      const y2 = polygon[k + 1];
      if (y1 > y !== y2 > y && x < ((polygon[k] - polygon[j]) * (y - y1)) / (y2 - y1) + polygon[j]) odd = !odd;
    }
    if (odd) inside.push(i >> 1);
  }
  return Uint32Array.from(inside);
}

export type Combine = "replace" | "add" | "subtract" | "toggle";

/** Sorted union, difference or symmetric difference of two sets of points. */
export function combine(before: Uint32Array, points: Uint32Array, how: Combine): Uint32Array {
  if (how === "replace") return points.slice().sort();
  const set = new Set(before);
  for (const p of points) {
    if (how === "add") set.add(p);
    else if (how === "subtract") set.delete(p);
    else if (!set.delete(p)) set.add(p);
  }
  return Uint32Array.from(set).sort();
}
