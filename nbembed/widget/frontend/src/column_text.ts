/** The numbers and times of the column that colors the points, as text. */
import type { ColumnKind } from "./wire.generated";

const DAY = 86_400;

/** A value with so many significant digits; of times (seconds since 1970) the day, and the time of day where `span` is short. */
export function columnText(kind: ColumnKind, value: number, digits: number, span = Infinity): string {
  if (kind !== "time") return value.toPrecision(digits);
  const time = new Date(1000 * value);
  if (Number.isNaN(time.getTime())) return "";
  const text = time.toISOString();
  return span < 3 * DAY ? text.slice(0, 16).replace("T", " ") : text.slice(0, text.indexOf("T"));
}
