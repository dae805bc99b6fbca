/** The numbers and times of the column that colors the points, as text. */
import { minus } from "./numbers";
import type { ColorColumn, ColumnKind } from "../wire/wire.generated";

/** Whether a point has no value in the column. */
export function isMissing(kind: ColumnKind, value: number): boolean {
  return kind === "category" ? !(value >= 0) : Number.isNaN(value);
}

const DAY = 86_400;
const HOUR = 3600;
const MINUTE = 60;

/** Numbers from here on are in powers of ten. */
const LARGEST_WHOLE = 1e7;

/** The digits of a number that tell values of a range apart, at most what a number has. */
function digitsFor(value: number, digits: number, span: number): number {
  const more = span > 0 && span < Math.abs(value) ? Math.floor(Math.log10(Math.abs(value) / span)) : 0;
  return Math.min(digits + more, 15);
}

/** The range of the values of a column that has an origin: only these need more digits for it. */
export function spanOf(column: ColorColumn, values: Float32Array): number {
  if (!column.origin) return Infinity;
  const [low, high] = endsOf(values);
  return high - low;
}

/** The least and the largest of some values, those that are missing left out. */
export function endsOf(values: Float32Array): [number, number] {
  let low = Infinity;
  let high = -Infinity;
  for (const v of values) {
    if (v < low) low = v;
    if (v > high) high = v;
  }
  return [low, high];
}

/**
 * A value of the column with so many significant digits, or whole where that takes more, or in as many as `span`
 * asks for; of times (seconds since 1970) the day, and the time of day where `span` is short.
 */
export function columnText({ kind, origin = 0 }: ColorColumn, sent: number, digits: number, span = Infinity): string {
  const value = origin + sent;
  if (kind !== "time") {
    const whole = Math.abs(value) >= 10 ** digits && Math.abs(value) < LARGEST_WHOLE && !(span < digits);
    return minus(whole ? value.toFixed(0) : value.toPrecision(digitsFor(value, digits, span)));
  }
  const time = new Date(1000 * value);
  if (Number.isNaN(time.getTime())) return "";
  const text = time.toISOString();
  if (span >= 3 * DAY) return text.slice(0, text.indexOf("T"));
  return text.slice(0, span >= HOUR ? -8 : span >= MINUTE ? -5 : -1).replace("T", " ");
}
