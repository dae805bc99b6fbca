/** How crowded a map is: how large and how opaque its points should be so that they neither fuse nor get lost. */

/** Cells of the grid over the longer side of the map. */
const CELLS = 40;
/** Points looked at, so that the time does not grow with their number. */
const SAMPLE = 2500;
/** The view, in CSS pixels, that sizes are chosen for. */
const VIEW = { width: 600, height: 440 };
/** Diameters in CSS pixels, and the share of its surroundings that a typical point and its neighbors may cover. */
const SMALLEST = 2.4;
const LARGEST = 8;
const COVER = 0.42;
/**
 * Shares of points outside heaps from which on these begin to decide, and decide alone. A heap is a cell
 * that the smallest points would cover: they fuse there at any size.
 */
const OUTSIDE = { some: 0.15, enough: 0.3 };
/** Opacities of the points of a crowded map and of others. */
const FAINT = 0.45;
const FULL = 0.86;
/** Changes of the diameter (as a ratio) and of the opacity that are worth drawing all points anew. */
const CHANGE = 1.14;
const SHADE = 20;

export interface Crowding {
  /** Diameter of an unlabeled point in CSS pixels. */
  diameter: number;
  /** Its opacity, 0 to 255. */
  alpha: number;
}

/**
 * The crowding where a typical point lies, the map being as large as the view: m points share its cell
 * of the area A. Their diameter d is such that m π d²/4 = COVER · A; where the smallest points cover
 * more than that, they are more transparent instead. Where many points lie on a few spots, as at the
 * centers of sure classes, a typical point is one of the others.
 */
export function crowding(positions: Float32Array): Crowding {
  const count = positions.length >> 1;
  const stride = Math.max(1, Math.ceil(count / SAMPLE));
  let [left, right, bottom, top] = [Infinity, -Infinity, Infinity, -Infinity];
  for (let i = 0; i < count; i += stride) {
    left = Math.min(left, positions[2 * i]);
    right = Math.max(right, positions[2 * i]);
    bottom = Math.min(bottom, positions[2 * i + 1]);
    top = Math.max(top, positions[2 * i + 1]);
  }
  const [width, height] = [right - left, top - bottom];
  const sparse = { diameter: LARGEST, alpha: Math.round(255 * FULL) };
  if (!(width > 0 || height > 0)) return sparse;
  const side = Math.max(width, height) / CELLS;
  const cells = new Uint16Array((CELLS + 1) ** 2);
  let looked = 0;
  for (let i = 0; i < count; i += stride, looked++) {
    const column = Math.floor((positions[2 * i] - left) / side);
    cells[Math.floor((positions[2 * i + 1] - bottom) / side) * (CELLS + 1) + column]++;
  }
  const pixels = side * Math.min(VIEW.width / (width || 1e-12), VIEW.height / (height || 1e-12));
  const scale = count / looked; // the sample stands for all
  let [pairs, outside, outsidePairs] = [0, 0, 0];
  for (const c of cells) {
    pairs += c * (c - 1);
    if (scale * c * Math.PI * SMALLEST ** 2 > 4 * pixels ** 2) continue;
    outside += c;
    outsidePairs += c * (c - 1);
  }
  // Points in the cell of a point, on average.
  const every = 1 + scale * (pairs / looked);
  const others = outside ? 1 + scale * (outsidePairs / outside) : every;
  const share = Math.min(1, Math.max(0, (outside / looked - OUTSIDE.some) / (OUTSIDE.enough - OUTSIDE.some)));
  const together = every ** (1 - share) * others ** share;
  const diameter = Math.min(LARGEST, Math.max(SMALLEST, pixels * Math.sqrt((4 * COVER) / (Math.PI * together))));
  const covered = (together * Math.PI * diameter ** 2) / (4 * pixels ** 2);
  const excess = Math.min(1, Math.max(0, (covered - COVER) / (4 * COVER)));
  return { diameter, alpha: Math.round(255 * (FULL - excess * (FULL - FAINT))) };
}

/** Whether points drawn for one crowding had better be drawn anew for another. */
export function differs(a: Crowding, b: Crowding): boolean {
  const ratio = a.diameter / b.diameter;
  return ratio > CHANGE || 1 / ratio > CHANGE || Math.abs(a.alpha - b.alpha) > SHADE;
}
