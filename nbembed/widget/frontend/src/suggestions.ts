/** What the kernel suggests for every point, as a page has it. */
import { typedArray } from "./wire";
import type { SuggestionCheck, SuggestionState, SuggestionsMessage } from "./wire.generated";

export interface Suggestions {
  state: SuggestionState;
  /** Why there are none. */
  error: string;
  /** What takes long, "" if nothing, and the share of it that is done. */
  making: string;
  share: number | null;
  check: SuggestionCheck | null;
  /** The class that is suggested for each point. */
  classes: Uint16Array;
  /** 1 + the confidence in steps of 1/200; 0 where no label reaches. */
  sureness: Uint8Array;
  /** Unlabeled points, the most doubtful first, and the second likeliest class of each. */
  doubtful: Uint32Array;
  second: Uint16Array;
}

/** Steps of a confidence in [0, 1], as `SURENESS_STEPS` in schema.py. */
const STEPS = 200;

export function readSuggestions(message: SuggestionsMessage, buffers: DataView[]): Suggestions {
  return {
    state: message.state,
    error: message.error,
    making: message.making,
    share: message.share,
    check: message.check,
    classes: typedArray("Uint16Array", buffers[0]),
    sureness: typedArray("Uint8Array", buffers[1]),
    doubtful: typedArray("Uint32Array", buffers[2]),
    second: typedArray("Uint16Array", buffers[3]),
  };
}

/** Before the kernel has told any. */
export const NO_SUGGESTIONS: Suggestions = readSuggestions({ type: "suggestions", state: "making", error: "", making: "", share: null, check: null }, []);

/** The confidence of a point's suggestion; 0 where no label reaches. */
export function confidenceOf({ sureness }: Suggestions, point: number): number {
  return Math.max(0, (sureness[point] ?? 0) - 1) / STEPS;
}

/** How many unlabeled points `accept` would label, of how many, and the largest confidence among them. */
export function acceptable({ sureness }: Suggestions, labels: Int32Array, threshold: number): { count: number; unlabeled: number; most: number } {
  const least = 1 + Math.round(STEPS * threshold);
  let [count, unlabeled, most] = [0, 0, 0];
  for (let i = 0; i < sureness.length; i++) {
    if (labels[i] >= 0) continue;
    unlabeled++;
    if (sureness[i] >= least) count++;
    if (sureness[i] > most) most = sureness[i];
  }
  return { count, unlabeled, most: Math.max(0, most - 1) / STEPS };
}

/** The accuracy of a check with its interval: "0.94 (0.86–0.98)". */
export function accuracyText({ accuracy, low, high }: SuggestionCheck): string {
  return accuracy === null ? "" : `${accuracy.toFixed(2)} (${low.toFixed(2)}–${high.toFixed(2)})`;
}
