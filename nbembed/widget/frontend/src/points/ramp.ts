/**
 * The color scales of numbers, safe for color vision deficiency: the lowest are nearly the ground, so that
 * what stands out is high. On a light ground ColorBrewer's YlGnBu from a light gray on, on a dark one
 * viridis from a dark gray on.
 */
import { parseColor, type RGB } from "../host/theme";

const LIGHT = ["#d5dbe2", "#b5dfc4", "#7fcdbb", "#41b6c4", "#1d91c0", "#225ea8", "#253494", "#081d58"];
const DARK = ["#343a4c", "#355f8d", "#2a788e", "#21918c", "#22a884", "#44bf70", "#7ad151", "#bddf26", "#fde725"];

/** The colors from the lowest to the highest value, as CSS. */
export function scaleStops(dark: boolean): readonly string[] {
  return dark ? DARK : LIGHT;
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
