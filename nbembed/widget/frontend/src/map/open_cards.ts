/** The cards that a view keeps open, as its map sees them. */
import type { ReadonlySignal } from "@preact/signals";

/** A rectangle on the page, in pixels. */
export interface Box {
  left: number;
  top: number;
  width: number;
  height: number;
}

/** Where a card lies on the map. */
export interface CardBox extends Box {
  point: number;
}

export interface OpenCards {
  boxes: ReadonlySignal<readonly CardBox[]>;
  /** Keep the card of a point open, or close it. */
  toggle: (point: number) => void;
}

/** Pixels between a point and its card, and between a card and the edge of the map. */
const GAP = 16;
const EDGE = 6;

/** The area that two rectangles share. */
export const overlap = (a: Box, b: Box): number =>
  Math.max(0, Math.min(a.left + a.width, b.left + b.width) - Math.max(a.left, b.left)) *
  Math.max(0, Math.min(a.top + a.height, b.top + b.height) - Math.max(a.top, b.top));

/** A place for the card of a point at (x, y): beside it, inside the map, and over as little of other cards as possible. */
export function placeCard(point: number, x: number, y: number, width: number, height: number, size: { width: number; height: number }, others: readonly CardBox[]): CardBox {
  const inside = (value: number, length: number, whole: number): number => Math.max(EDGE, Math.min(value, whole - length - EDGE));
  const right = x + GAP;
  const left = x - GAP - width;
  const choices: [number, number][] = [];
  for (const column of [right, left]) for (const row of [y - height / 3, y - height, y]) choices.push([column, row]);
  choices.push([x - width / 2, y - GAP - height], [x - width / 2, y + GAP]);
  for (const column of [EDGE, size.width - width - EDGE]) for (const row of [EDGE, size.height - height - EDGE]) choices.push([column, row]);
  const own: CardBox = { point, left: x - 8, top: y - 8, width: 16, height: 16 };
  let best: CardBox | null = null;
  let least = Infinity;
  choices.forEach(([column, row], k) => {
    const box = { point, left: inside(column, width, size.width), top: inside(row, height, size.height), width, height };
    // First not over the point, then not over other cards, then near.
    const cost = 1e3 * overlap(box, own) + others.reduce((sum, other) => sum + overlap(box, other), 0) + k;
    if (cost < least) [best, least] = [box, cost];
  });
  return best ?? { point, left: EDGE, top: EDGE, width, height };
}
