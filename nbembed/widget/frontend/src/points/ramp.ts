/**
 * The color scale of numbers: viridis, perceptually uniform and safe for color vision deficiency, without
 * the fifth of it that the ground would swallow: the darkest on a dark one, the palest on a light one.
 */
import { parseColor, type RGB } from "../host/theme";

const VIRIDIS = [
  "#440154", "#482475", "#414487", "#355f8d", "#2a788e", "#21918c", "#22a884", "#44bf70", "#7ad151", "#bddf26", "#fde725",
];

/** The colors from the lowest to the highest value, as CSS. */
export function scaleStops(dark: boolean): readonly string[] {
  return dark ? VIRIDIS.slice(2) : VIRIDIS.slice(0, -2);
}

/** `count` evenly spaced colors along stops given as CSS. */
export function ramp(count: number, css: readonly string[]): RGB[] {
  const stops = css.map(parseColor);
  return Array.from({ length: count }, (_, i) => {
    const place = (i / Math.max(count - 1, 1)) * (stops.length - 1);
    const k = Math.min(Math.floor(place), stops.length - 2);
    const mix = (c: 0 | 1 | 2) => Math.round(stops[k][c] + (place - k) * (stops[k + 1][c] - stops[k][c]));
    return [mix(0), mix(1), mix(2)];
  });
}
