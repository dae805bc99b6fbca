/** The numbers and times of the column that colors the points, as text. */
import { minus } from "./numbers";
import type { ColumnKind } from "../wire/wire.generated";

/** Whether a point has no value in the column. */
export function isMissing(kind: ColumnKind, value: number): boolean {
  return kind === "category" ? !(value >= 0) : Number.isNaN(value);
}

const DAY = 86_400;

/** Numbers from here on are in powers of ten. */
const LARGEST_WHOLE = 1e7;

/** A value with so many significant digits, or whole where that takes more; of times (seconds since 1970) the day, and the time of day where `span` is short. */
export function columnText(kind: ColumnKind, value: number, digits: number, span = Infinity): string {
  if (kind !== "time") return minus(Math.abs(value) >= 10 ** digits && Math.abs(value) < LARGEST_WHOLE ? value.toFixed(0) : value.toPrecision(digits));
  const time = new Date(1000 * value);
  if (Number.isNaN(time.getTime())) return "";
  const text = time.toISOString();
  return span < 3 * DAY ? text.slice(0, 16).replace("T", " ") : text.slice(0, text.indexOf("T"));
}
