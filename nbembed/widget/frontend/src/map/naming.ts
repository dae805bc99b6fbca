/**
 * Names on the map, where there is room: of classes at their centers, of points beside them. A name
 * never covers another name, and the name of a point covers no other point.
 */
import { inline } from "../cards";
import { toScreen, type Camera, type Size } from "./camera";

/** A name of a group of points, drawn at its center. */
export interface GroupName {
  text: string;
  /** Data coordinates. */
  x: number;
  y: number;
}

/** A name beside a point; it goes with the point until names are placed again. */
export interface PointName {
  point: number;
  text: string;
  /** Pixels from the point to the middle of the name. */
  dx: number;
  dy: number;
  width: number;
}

export interface Names {
  groups: GroupName[];
  points: PointName[];
  /** Points that would have room for a name that is not known yet. */
  unknown: number[];
}

export const NO_NAMES: Names = { groups: [], points: [], unknown: [] };

interface Scene {
  camera: Camera;
  size: Size;
  positions: Float32Array;
  /** Groups in the order of their claims to room. */
  groups: GroupName[];
  /** Whether points have names. */
  named: boolean;
  nameOf: (point: number) => string | undefined;
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
/** Names of points on one map. */
const MOST = 80;
/** Names asked for at a time. */
const MOST_UNKNOWN = 120;
/** Half of the height of a line of each kind, and the gap between a point and its name. */
const GROUP_HALF = 9;
const POINT_HALF = 7;
const GAP = 7;
/** Width of a name that is not known yet. */
const GUESS = 44;
/** Characters of a name on the map. */
export const LONGEST = 24;

interface Box {
  left: number;
  top: number;
  right: number;
  bottom: number;
}

export function placeNames(scene: Scene): Names {
  const { camera, size, positions } = scene;
  const taken: Box[] = [];
  const free = (box: Box): boolean =>
    box.left >= 2 && box.top >= 2 && box.right <= size.width - 2 && box.bottom <= size.height - 2 &&
    !taken.some((b) => box.left < b.right && b.left < box.right && box.top < b.bottom && b.top < box.bottom);

  const groups: GroupName[] = [];
  for (const group of scene.groups) {
    const text = inline(group.text, LONGEST);
    const [x, y] = toScreen(camera, size, group.x, group.y);
    const half = scene.groupWidth(text) / 2 + 3;
    const box = { left: x - half, right: x + half, top: y - GROUP_HALF, bottom: y + GROUP_HALF };
    if (!text || !free(box)) continue;
    taken.push(box);
    groups.push({ ...group, text });
  }
  if (!scene.named) return { groups, points: [], unknown: [] };

  const view = new Crowd(camera, size, positions);
  const points: PointName[] = [];
  const unknown: number[] = [];
  if (view.points.length > CROWD) return { groups, points, unknown };
  const seen = new Set<number>();
  for (const point of [...scene.first, ...view.points]) {
    if (points.length >= MOST) break;
    if (seen.has(point) || 2 * point + 1 >= positions.length) continue;
    seen.add(point);
    const known = scene.nameOf(point);
    const text = known === undefined ? "" : inline(known, LONGEST);
    if (known !== undefined && !text) continue;
    const width = known === undefined ? GUESS : scene.pointWidth(text);
    const [x, y] = toScreen(camera, size, positions[2 * point], positions[2 * point + 1]);
    if (Number.isNaN(x)) continue; // of a hidden class
    for (const [dx, dy] of [[width / 2 + GAP, 0], [-width / 2 - GAP, 0], [0, -POINT_HALF - GAP], [0, POINT_HALF + GAP]]) {
      const box = { left: x + dx - width / 2 - 1, right: x + dx + width / 2 + 1, top: y + dy - POINT_HALF, bottom: y + dy + POINT_HALF };
      if (!free(box) || view.anyIn(box, point)) continue;
      if (known === undefined) {
        if (unknown.length < MOST_UNKNOWN) unknown.push(point);
      } else {
        taken.push(box);
        points.push({ point, text, dx, dy, width });
      }
      break;
    }
  }
  return { groups, points, unknown };
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
 * name is on the group even where that is bent or in pieces. Large groups come first.
 */
export function groupCenters(positions: Float32Array, codes: ArrayLike<number>, texts: readonly string[]): GroupName[] {
  const members: number[][] = texts.map(() => []);
  const n = Math.min(codes.length, positions.length >> 1);
  for (let i = 0; i < n; i++) members[codes[i]]?.push(i);
  const centers: (GroupName & { count: number })[] = [];
  members.forEach((points, k) => {
    const step = Math.max(1, Math.floor(points.length / SAMPLE));
    const sample = points.filter((i, at) => at % step === 0 && Number.isFinite(positions[2 * i] + positions[2 * i + 1]));
    if (!sample.length) return;
    const middle = (axis: number): number => sample.map((i) => positions[2 * i + axis]).sort((a, b) => a - b)[sample.length >> 1];
    const [mx, my] = [middle(0), middle(1)];
    const away = (i: number): number => (positions[2 * i] - mx) ** 2 + (positions[2 * i + 1] - my) ** 2;
    const nearest = sample.reduce((best, i) => (away(i) < away(best) ? i : best));
    centers.push({ text: texts[k], x: positions[2 * nearest], y: positions[2 * nearest + 1], count: points.length });
  });
  return centers.sort((a, b) => b.count - a.count);
}
