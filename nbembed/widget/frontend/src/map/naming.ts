/**
 * Names on the map, where there is room: of classes at their centers, of points beside them; and images of
 * points, where few are in view. None covers another one, and those of a point cover no other point. A class
 * that is hardly larger than its name would be buried by it, so that name is beside the class, where it covers
 * least. A class in pieces is named on a large one.
 */
import { inline } from "../state/cards";
import { PIECES } from "../wire/wire.generated";
import { toScreen, type Camera, type Size } from "../state/camera";

/** A group of points and its center. */
export interface Group {
  text: string;
  /** The point at its center, which its name goes with. */
  point: number;
  /** Some of its points. */
  sample: readonly number[];
}

/** A name of a point, or of a group at its center. */
export interface PlacedName {
  /** It goes with this point until names are placed again. */
  point: number;
  text: string;
  /** Pixels from the point to the middle of the name. */
  dx: number;
  dy: number;
  width: number;
}

/** The image of a point, as a name is placed. */
export interface PlacedImage extends Extent {
  point: number;
  dx: number;
  dy: number;
}

/** Width and height in pixels. */
export interface Extent {
  width: number;
  height: number;
}

export interface Names {
  groups: PlacedName[];
  points: PlacedName[];
  images: PlacedImage[];
  /** Points that would have room for a name, or an image, that is not known yet. */
  unknown: number[];
  unseen: number[];
}

export const NO_NAMES: Names = { groups: [], points: [], images: [], unknown: [], unseen: [] };

interface Scene {
  camera: Camera;
  size: Size;
  positions: Float32Array;
  /** Groups in the order of their claims to room. */
  groups: readonly Group[];
  /** Whether points have names. */
  named: boolean;
  nameOf: (point: number) => string | undefined;
  /** True if images of points are shown; the size of a point's is null without one, undefined if it is not known. */
  imaged: boolean;
  imageOf: (point: number) => Extent | null | undefined;
  /** Where no name may be. */
  taken: readonly Box[];
  /** Points whose names come first: those named before, and those that are chosen. */
  first: Iterable<number>;
  groupWidth: (text: string) => number;
  pointWidth: (text: string) => number;
}

/** Which directions have a ray with a name: those that are not nearly orthogonal to the plane. */
export function seenDirections(directions: readonly (readonly [number, number])[]): boolean[] {
  const lengths = directions.map(([x, y]) => Math.hypot(x, y));
  const longest = Math.max(...lengths, 1e-9);
  return lengths.map((length) => length >= 0.15 * longest);
}

/** Above so many points in view there is no room. */
const CROWD = 3000;
/** The same for images, which would be scattered over the edges of a whole map. */
const FEW = 400;
/** Names of points on one map, and images. */
const MOST = 80;
/** Names or images asked for at a time. */
const MOST_UNKNOWN = 120;
/** The longest side of an image in pixels. */
export const LONGEST_SIDE = 40;
/** Half of the height of a line of each kind, and the gap between a point and its name. */
export const GROUP_HALF = 9;
export const POINT_HALF = 7;
const GAP = 7;
/** Share of a group's points above which its name does not cover them. */
const BURIED = 1 / 3;
/** Points of a group that are looked at when its name is placed. */
const LOOKED_AT = 100;
/** Width of a name that is not known yet. */
const GUESS = 44;
/** Characters of a name on the map. */
export const LONGEST = 24;

export interface Box {
  left: number;
  top: number;
  right: number;
  bottom: number;
}

export function overlap(a: Box, b: Box): boolean {
  return a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;
}

export function placeNames(scene: Scene): Names {
  const { camera, size, positions } = scene;
  const taken = [...scene.taken];
  const free = (box: Box): boolean =>
    box.left >= 2 && box.top >= 2 && box.right <= size.width - 2 && box.bottom <= size.height - 2 &&
    !taken.some((other) => overlap(box, other));

  const groups: PlacedName[] = [];
  const seenOf = samplesOnScreen(scene);
  const everything = seenOf.flat();
  scene.groups.forEach((group, k) => {
    const text = inline(group.text, LONGEST);
    if (!text) return;
    const [x, y] = toScreen(camera, size, positions[2 * group.point], positions[2 * group.point + 1]);
    const width = scene.groupWidth(text);
    const half = width / 2 + 3;
    const around = ([dx, dy]: Place): Box => ({ left: x + dx - half, right: x + dx + half, top: y + dy - GROUP_HALF, bottom: y + dy + GROUP_HALF });
    const place = besideIfBuried(seenOf[k], everything, x, y, half, around).find((offset) => free(around(offset)));
    if (!place) return;
    taken.push(around(place));
    groups.push({ point: group.point, text, dx: place[0], dy: place[1], width });
  });
  if (!scene.named && !scene.imaged) return { ...NO_NAMES, groups };
  const view = new Crowd(camera, size, positions);
  if (view.points.length > CROWD) return { ...NO_NAMES, groups };

  const order = [...new Set([...scene.first, ...view.points])].filter((point) => 2 * point + 1 < positions.length);
  /** Place what belongs to points beside them, as far as there is room; what is not known yet holds no room. */
  const beside = <Known>(knownOf: (point: number) => Known | undefined, extentOf: (known: Known | undefined) => Extent | null) => {
    const placed: (PlacedImage & { known: Known })[] = [];
    const unknown: number[] = [];
    for (const point of order) {
      if (placed.length >= MOST) break;
      const known = knownOf(point);
      const extent = extentOf(known);
      const [x, y] = toScreen(camera, size, positions[2 * point], positions[2 * point + 1]);
      if (!extent || Number.isNaN(x)) continue; // of a hidden class
      const [across, down] = [extent.width / 2, extent.height / 2];
      for (const [dx, dy] of [[across + GAP, 0], [-across - GAP, 0], [0, -down - GAP], [0, down + GAP]]) {
        const box = { left: x + dx - across - 1, right: x + dx + across + 1, top: y + dy - down, bottom: y + dy + down };
        if (!free(box) || view.anyIn(box, point)) continue;
        if (known === undefined) {
          if (unknown.length < MOST_UNKNOWN) unknown.push(point);
        } else {
          taken.push(box);
          placed.push({ point, known, dx, dy, ...extent });
        }
        break;
      }
    }
    return { placed, unknown };
  };

  const few = scene.imaged && view.points.length <= FEW;
  const images = few ? beside(scene.imageOf, (extent) => (extent === undefined ? UNSEEN : extent)) : NOTHING;
  const textOf = (point: number): string | undefined => {
    const known = scene.nameOf(point);
    return known === undefined ? undefined : inline(known, LONGEST);
  };
  const width = (text: string | undefined): number => (text === undefined ? GUESS : scene.pointWidth(text));
  const names = scene.named ? beside(textOf, (text) => (text === "" ? null : { width: width(text), height: 2 * POINT_HALF })) : NOTHING;
  return {
    groups,
    points: names.placed.map(({ point, known, dx, dy, width }) => ({ point, text: known, dx, dy, width })),
    images: images.placed,
    unknown: names.unknown,
    unseen: images.unknown,
  };
}

const NOTHING = { placed: [], unknown: [] };
/** The extent of an image that is not known yet. */
const UNSEEN: Extent = { width: LONGEST_SIDE, height: LONGEST_SIDE };

/** Pixels from the center of a group to the middle of its name. */
type Place = readonly [number, number];
const CENTER: Place = [0, 0];

/** Where the samples of the groups are on the screen, those of hidden classes left out. */
function samplesOnScreen({ camera, size, positions, groups }: Scene): Place[][] {
  return groups.map(({ sample }) => {
    const step = Math.max(1, Math.ceil(sample.length / LOOKED_AT));
    return sample
      .filter((_, at) => at % step === 0)
      .map((i): Place => toScreen(camera, size, positions[2 * i], positions[2 * i + 1]))
      .filter(([x]) => Number.isFinite(x));
  });
}

/** The places for a group's name, best first: at the center, or beside the group if that would bury it. */
function besideIfBuried(own: Place[], everything: Place[], x: number, y: number, half: number, around: (place: Place) => Box): Place[] {
  const covered = (points: Place[], box: Box): number => points.filter((point) => inside(point, box)).length;
  if (covered(own, around(CENTER)) <= BURIED * own.length) return [CENTER];
  // Pieces that lie elsewhere do not count.
  const core = own.filter(([u, v]) => Math.abs(u - x) < 2 * half && Math.abs(v - y) < 2 * half);
  const across = core.map(([u]) => u - x).sort((a, b) => a - b);
  const down = core.map(([, v]) => v - y).sort((a, b) => a - b);
  const [left, right, top, bottom] = [across[0], across[across.length - 1], down[0], down[down.length - 1]];
  const middle = (left + right) / 2, level = (top + bottom) / 2;
  const places: Place[] = [
    [middle, top - GROUP_HALF - GAP], [middle, bottom + GROUP_HALF + GAP],
    [right + half + GAP, level], [left - half - GAP, level],
  ];
  const cost = new Map(places.map((place) => [place, covered(everything, around(place))]));
  return [...places.sort((a, b) => (cost.get(a) ?? 0) - (cost.get(b) ?? 0)), CENTER];
}

function inside([x, y]: Place, box: Box): boolean {
  return x > box.left && x < box.right && y > box.top && y < box.bottom;
}

/** The points in view, sorted into squares of the screen. */
class Crowd {
  readonly points: number[] = [];
  private readonly squares = new Map<number, number[]>();
  private readonly screen = new Map<number, [number, number]>();
  private static readonly SIDE = 24;

  constructor(camera: Camera, size: Size, positions: Float32Array) {
    for (let i = 0; 2 * i + 1 < positions.length; i++) {
      const [x, y] = toScreen(camera, size, positions[2 * i], positions[2 * i + 1]);
      if (!(x >= 0 && y >= 0 && x <= size.width && y <= size.height)) continue;
      this.points.push(i);
      if (this.points.length > CROWD) return;
      this.screen.set(i, [x, y]);
      const key = this.key(Math.floor(x / Crowd.SIDE), Math.floor(y / Crowd.SIDE));
      const square = this.squares.get(key);
      if (square) square.push(i);
      else this.squares.set(key, [i]);
    }
  }

  /** Whether a point other than `own` is inside a box. */
  anyIn(box: Box, own: number): boolean {
    const margin = 2;
    for (let a = Math.floor((box.left - margin) / Crowd.SIDE); a <= Math.floor((box.right + margin) / Crowd.SIDE); a++) {
      for (let b = Math.floor((box.top - margin) / Crowd.SIDE); b <= Math.floor((box.bottom + margin) / Crowd.SIDE); b++) {
        for (const i of this.squares.get(this.key(a, b)) ?? []) {
          if (i === own) continue;
          const [x, y] = this.screen.get(i) ?? [NaN, NaN];
          if (x > box.left - margin && x < box.right + margin && y > box.top - margin && y < box.bottom + margin) return true;
        }
      }
    }
    return false;
  }

  private key(a: number, b: number): number {
    return a * 65536 + b;
  }
}

/** Points of a group that its center is computed from. */
const SAMPLE = 400;

/**
 * The centers of groups: of each, the point that is nearest to its coordinate-wise median, so that the
 * name is on the group even where that is bent. Where hardly any others are near that point, as
 * between pieces, it is the median of the piece that has most of them near each other. Large groups come first.
 */
export function groupCenters(positions: Float32Array, codes: ArrayLike<number>, texts: readonly string[]): Group[] {
  const n = Math.min(codes.length, positions.length >> 1);
  const counts = new Int32Array(texts.length);
  for (let i = 0; i < n; i++) if (codes[i] >= 0 && codes[i] < texts.length) counts[codes[i]]++;
  const samples = texts.map((): number[] => []);
  const seen = new Int32Array(texts.length);
  for (let i = 0; i < n; i++) {
    const k = codes[i];
    if (!(k >= 0 && k < texts.length)) continue;
    const step = Math.max(1, Math.floor(counts[k] / SAMPLE));
    if (seen[k]++ % step === 0 && Number.isFinite(positions[2 * i] + positions[2 * i + 1])) samples[k].push(i);
  }
  const centers: (Group & { count: number })[] = [];
  samples.forEach((sample, k) => {
    if (sample.length) centers.push({ text: texts[k], point: centralPoint(positions, sample), sample, count: counts[k] });
  });
  return centers.sort((a, b) => b.count - a.count);
}

function centralPoint(positions: Float32Array, sample: readonly number[]): number {
  const middle = nearestToMedian(positions, sample);
  const step = Math.max(1, Math.ceil(sample.length / PIECES.few));
  const few = sample.filter((_, at) => at % step === 0);
  const m = few.length;
  // In typed arrays: names are placed while a map moves, and a frame waits for them.
  const apart = new Float64Array(m * m);
  for (let a = 0; a < m; a++) for (let b = 0; b < a; b++) apart[a * m + b] = apart[b * m + a] = distance(positions, few[a], few[b]);
  const rank = Math.min(Math.ceil(PIECES.near * m), m - 1);
  const radii = Float64Array.from(few, (_, a) => apart.slice(a * m, a * m + m).sort()[rank]);
  const reach = radii.sort()[m >> 1];
  let most = 0, densest = middle;
  for (let a = 0; a < m; a++) {
    let near = 0;
    for (let b = 0; b < m; b++) if (apart[a * m + b] <= reach) near++;
    if (near > most) [most, densest] = [near, few[a]];
  }
  let nearMiddle = 0;
  for (const j of few) if (distance(positions, middle, j) <= reach) nearMiddle++;
  if (4 * nearMiddle >= most) return middle;
  return nearestToMedian(positions, sample.filter((i) => distance(positions, i, densest) <= 2 * reach));
}

function distance(positions: Float32Array, i: number, j: number): number {
  return Math.sqrt((positions[2 * i] - positions[2 * j]) ** 2 + (positions[2 * i + 1] - positions[2 * j + 1]) ** 2);
}

function nearestToMedian(positions: Float32Array, points: readonly number[]): number {
  const middle = (axis: number): number => Float32Array.from(points, (i) => positions[2 * i + axis]).sort()[points.length >> 1];
  const [mx, my] = [middle(0), middle(1)];
  const away = (i: number): number => (positions[2 * i] - mx) ** 2 + (positions[2 * i + 1] - my) ** 2;
  return points.reduce((best, i) => (away(i) < away(best) ? i : best));
}
