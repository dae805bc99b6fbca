/** The color scales of numbers. */
import { parseColor, type RGB } from "../host/theme";
import { COLOR_SCALES } from "../wire/wire.generated";

/** The colors from the lowest to the highest value, as CSS. */
export function scaleStops(dark: boolean): readonly string[] {
  return dark ? COLOR_SCALES.dark : COLOR_SCALES.light;
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
