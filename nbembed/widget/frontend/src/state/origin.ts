/** Where a change or a label came from, in words. */
import * as strings from "../strings";

/** Who gave it. */
export const WHO: Record<string, string> = { hand: strings.byHand, suggestion: strings.suggestedWord, code: strings.python };

/** A time, with the day unless it is today. */
export function clock(milliseconds: number): string {
  const then = new Date(milliseconds);
  const today = new Date().toDateString() === then.toDateString();
  const time = then.toLocaleTimeString([], { hour: "2-digit", minute: "2-digit" });
  return today ? time : `${then.toLocaleDateString([], { day: "numeric", month: "short" })} ${time}`;
}
