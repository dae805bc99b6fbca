/** The color scale of numbers: viridis, perceptually uniform and safe for color vision deficiency. */
import { parseColor, type RGB } from "../theme";

export const STOPS = [
  "#440154", "#482475", "#414487", "#355f8d", "#2a788e", "#21918c", "#22a884", "#44bf70", "#7ad151", "#bddf26", "#fde725",
];

/** `count` evenly spaced colors from the lowest to the highest value. */
export function ramp(count: number, stops: readonly RGB[] = STOPS.map(parseColor)): RGB[] {
  return Array.from({ length: count }, (_, i) => {
    const place = (i / Math.max(count - 1, 1)) * (stops.length - 1);
    const k = Math.min(Math.floor(place), stops.length - 2);
    const mix = (c: 0 | 1 | 2) => Math.round(stops[k][c] + (place - k) * (stops[k + 1][c] - stops[k][c]));
    return [mix(0), mix(1), mix(2)];
  });
}
