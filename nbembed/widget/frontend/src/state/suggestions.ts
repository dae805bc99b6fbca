/** What the kernel suggests for every point, as a page has it. */
import { typedArray } from "../wire/wire";
import { SURENESS_STEPS, type SuggestionCheck, type SuggestionState, type SuggestionsMessage } from "../wire/wire.generated";

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
  /** 1 + the confidence in steps of 1/200; 0 where no class is suggested. */
  sureness: Uint8Array;
  /** Unlabeled points, the most doubtful first, and the second likeliest class of each. */
  doubtful: Uint32Array;
  second: Uint16Array;
  /** Points whose label the other labels contradict, the most so first, and the class that these suggest. */
  suspicious: Uint32Array;
  instead: Uint16Array;
  /** Of labels that the others foretell: as `sureness`, and whether they do so rightly. */
  foretold: Uint8Array;
  rightly: Uint8Array;
}


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
    suspicious: typedArray("Uint32Array", buffers[4]),
    instead: typedArray("Uint16Array", buffers[5]),
    foretold: typedArray("Uint8Array", buffers[6]),
    rightly: typedArray("Uint8Array", buffers[7]),
  };
}

/** Before the kernel has told any. */
export const NO_SUGGESTIONS: Suggestions = readSuggestions({ type: "suggestions", state: "making", error: "", making: "", share: null, check: null }, []);

/** The confidence of a point's suggestion; 0 where no class is suggested. */
export function confidenceOf({ sureness }: Suggestions, point: number): number {
  return Math.max(0, (sureness[point] ?? 0) - 1) / SURENESS_STEPS;
}

/** How many unlabeled points have each confidence; the first number is of those that are suggested no class. */
function counts({ sureness }: Suggestions, labels: Int32Array): Uint32Array {
  const found = new Uint32Array(SURENESS_STEPS + 2);
  for (let i = 0; i < sureness.length; i++) if (!(labels[i] >= 0)) found[sureness[i]]++;
  return found;
}

export interface Acceptable {
  /** Unlabeled points that `accept` would label, and the share of them that is expected to be right. */
  count: number;
  right: number;
  /** The 95 % interval of this share, as the labels that the others foretell have it; null where none is foretold. */
  interval: [number, number] | null;
  unlabeled: number;
  /** The largest confidence among all of them. */
  most: number;
  /** Points by confidence, in bars of a twentieth. */
  bars: number[];
}

/** Wilson's interval of the share of labels that the others foretell rightly, of those that they foretell with a code of at least this. */
function foretoldInterval({ foretold, rightly }: Suggestions, least: number): [number, number] | null {
  let [n, right] = [0, 0];
  foretold.forEach((code, i) => {
    if (code >= least) [n, right] = [n + 1, right + rightly[i]];
  });
  if (!n) return null;
  const [p, z2] = [right / n, 1.959964 ** 2];
  const [middle, half] = [p + z2 / (2 * n), Math.sqrt(z2 * ((p * (1 - p)) / n + z2 / (4 * n * n)))];
  return [right ? (middle - half) / (1 + z2 / n) : 0, right < n ? (middle + half) / (1 + z2 / n) : 1];
}

/** What `accept` would do at a confidence. */
export function acceptable(suggestions: Suggestions, labels: Int32Array, threshold: number): Acceptable {
  const least = 1 + Math.round(SURENESS_STEPS * threshold);
  const found = counts(suggestions, labels);
  const bars = new Array<number>(20).fill(0);
  let [count, sum, unlabeled, most] = [0, 0, found[0], 0];
  for (let code = 1; code < found.length; code++) {
    const n = found[code];
    if (!n) continue;
    unlabeled += n;
    most = code;
    bars[Math.min(19, Math.floor((20 * (code - 1)) / SURENESS_STEPS))] += n;
    if (code >= least) [count, sum] = [count + n, sum + (n * (code - 1)) / SURENESS_STEPS];
  }
  return { count, right: count ? sum / count : 0, interval: foretoldInterval(suggestions, least), unlabeled, most: Math.max(0, most - 1) / SURENESS_STEPS, bars };
}

/** The least confidence that can be asked for: nothing is accepted that is all but ruled out. */
export const LEAST = 0.05;

/** The least confidence, in hundredths from `LEAST` on, above which so large a share is expected to be right; null if there is none. */
export function leastConfidence(suggestions: Suggestions, labels: Int32Array, right: number): number | null {
  const found = counts(suggestions, labels);
  let [count, sum, least] = [0, 0, null as number | null];
  for (let code = SURENESS_STEPS + 1; code > SURENESS_STEPS * LEAST; code--) {
    count += found[code];
    sum += (found[code] * (code - 1)) / SURENESS_STEPS;
    if (count && code % 2 && sum >= right * count) least = (code - 1) / SURENESS_STEPS;
  }
  return least;
}

/** The accuracy of a check with its interval: "0.94 (0.86–0.98)". */
export function accuracyText({ accuracy, low, high }: SuggestionCheck): string {
  return accuracy === null ? "" : `${accuracy.toFixed(2)} (${low.toFixed(2)}–${high.toFixed(2)})`;
}
