/**
 * Colors of classes and categories as they are shown: on a light ground darker, on a dark one lighter,
 * so that each has a contrast of at least 3:1 with the ground (WCAG 2.2, 1.4.11). One color stands for
 * one class everywhere.
 *
 * The lightness of OKLab (Ottosson 2020) is compressed away from the ground rather than cut off, so
 * that colors which differ in lightness still do, and ordered ones keep their order: hardly anything
 * else tells some of them apart with a deficiency of color vision. The constants are Python's, which
 * draws still pictures by the same law (`drawing/contrast.py`).
 */
import { CONTRAST, DARK_GROUND, LIGHT_GROUND, OKLAB } from "../wire/wire.generated";
import { parseColor, type RGB, type Theme } from "../host/theme";

type Triple = [number, number, number];

const linear = (v: number): number => (v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
const coded = (v: number): number => (v <= 0.0031308 ? 12.92 * v : 1.055 * v ** (1 / 2.4) - 0.055);

/** Relative luminance of a color, as WCAG defines it. */
function luminance(color: RGB): number {
  const [r, g, b] = color.map((v) => linear(v / 255));
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

/** The contrast of two colors, from 1 to 21. */
export function contrast(a: RGB, b: RGB): number {
  const [x, y] = [luminance(a), luminance(b)];
  return (Math.max(x, y) + 0.05) / (Math.min(x, y) + 0.05);
}

function times(matrix: readonly (readonly [number, number, number])[], [x, y, z]: Triple): Triple {
  return matrix.map(([a, b, c]) => a * x + b * y + c * z) as Triple;
}

function toOklab(color: RGB): Triple {
  const cones = times(OKLAB.toLms, color.map((v) => linear(v / 255)) as Triple);
  return times(OKLAB.toLab, cones.map(Math.cbrt) as Triple);
}

function fromOklab(lab: Triple): Triple {
  return times(OKLAB.fromLms, times(OKLAB.fromLab, lab).map((v) => v ** 3) as Triple);
}

/** The color of that lightness and hue, with as much of its chroma as a screen can show. */
function withLightness([, a, b]: Triple, L: number): RGB {
  const at = (share: number): Triple => fromOklab([L, share * a, share * b]);
  const shows = (share: number): boolean => at(share).every((v) => v >= -0.001 && v <= 1.001);
  let share = 1;
  if (!shows(1)) {
    let [low, high] = [0, 1];
    for (let turn = 0; turn < 12; turn++) {
      const middle = (low + high) / 2;
      if (shows(middle)) low = middle;
      else high = middle;
    }
    share = low;
  }
  const [r, g, blue] = at(share).map((v) => Math.round(255 * coded(Math.min(1, Math.max(0, v)))));
  return [r, g, blue];
}

/** A color as it is shown in a theme. */
export function adapted(color: RGB, { dark, background: ground }: Theme): RGB {
  const lab = toOklab(color);
  const least = dark ? CONTRAST.dark : CONTRAST.light;
  let L = lab[0];
  if (!dark) L = LIGHT_GROUND.to - LIGHT_GROUND.slope * (LIGHT_GROUND.palest - L);
  else if (L < DARK_GROUND.keep) {
    const { keep, darkest, to, exponent } = DARK_GROUND;
    L = keep - (keep - to) * Math.min(1, (keep - L) / (keep - darkest)) ** exponent;
  }
  if (L === lab[0] && contrast(color, ground) >= least) return color;
  for (let turn = 0; turn < CONTRAST.steps; turn++) {
    const found = withLightness(lab, L);
    if (contrast(found, ground) >= least) return found;
    L += dark ? CONTRAST.step : -CONTRAST.step;
  }
  return dark ? [255, 255, 255] : [0, 0, 0];
}

const known = new Map<string, RGB>();

/** A class's color, given as CSS, as it is shown in a theme. */
export function shown(color: string, theme: Theme): RGB {
  const key = `${color} ${theme.dark} ${theme.background}`;
  let found = known.get(key);
  if (!found) {
    if (known.size > 5000) known.clear();
    found = adapted(parseColor(color), theme);
    known.set(key, found);
  }
  return found;
}

/** The same as CSS. */
export function shownCss(color: string, theme: Theme): string {
  return `rgb(${shown(color, theme).join(" ")})`;
}
