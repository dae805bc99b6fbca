/** Points colored by how far their neighborhoods differ between two maps: gray where nothing changed. */
import { ramp } from "./ramp";
import type { PointStyles } from "./types";

const LIGHT = ["#8d95a3", "#c47a12", "#b3122e"];
const DARK = ["#747c8c", "#f0a63c", "#ff5f66"];

/** The colors from no change to a change of all neighbors. */
export function changeStops(dark: boolean): readonly string[] {
  return dark ? DARK : LIGHT;
}

/** Styles with the colors of changes in 255ths; what a selection has made faint stays so. */
export function tinted(styles: PointStyles, codes: Uint8Array | null, dark: boolean): PointStyles {
  if (!codes || 4 * codes.length !== styles.colors.length) return styles;
  const scale = ramp(256, changeStops(dark));
  const colors = styles.colors.slice();
  for (let i = 0; i < codes.length; i++) colors.set(scale[codes[i]], 4 * i);
  return { ...styles, colors };
}
