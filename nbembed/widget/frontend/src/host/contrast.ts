/**
 * Colors of classes and categories as they are shown: on a light ground darker, on a dark one lighter,
 * so that each has a contrast of at least 3:1 with the ground (WCAG 2.2, 1.4.11). One color stands for
 * one class everywhere.
 *
 * The lightness of OKLab (Ottosson 2020) is compressed away from the ground rather than cut off, so
 * that colors which differ in lightness still do, and ordered ones keep their order: hardly anything
 * else tells some of them apart with a deficiency of color vision.
 */
import { parseColor, type RGB, type Theme } from "./theme";

/** Of 3:1 on the map; a little more, since panels are not as light or as dark as the map. */
const LEAST = { light: 3.05, dark: 3.6 };
/**
 * Lightness on a light ground: that of the palest color of the palette, where it goes, and how much of
 * their differences from it the others keep. On a dark one: from which a color stays as it is, that of
 * the darkest, and where that goes; between them with a power below 1, since what lies near `keep` needs
 * little more light, and there are the two blues and the two greens of the palette. Chosen so that the
 * twelve colors differ for every eye (by CIEDE2000), and ordered ones keep their order.
 */
const LIGHT = { palest: 0.85, to: 0.66, slope: 0.8 };
const DARK = { keep: 0.75, darkest: 0.25, to: 0.5, power: 0.7 };

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

function toOklab(color: RGB): Triple {
  const [r, g, b] = color.map((v) => linear(v / 255));
  const l = Math.cbrt(0.4122214708 * r + 0.5363325363 * g + 0.0514459929 * b);
  const m = Math.cbrt(0.2119034982 * r + 0.6806995451 * g + 0.1073969566 * b);
  const s = Math.cbrt(0.0883024619 * r + 0.2817188376 * g + 0.6299787005 * b);
  return [
    0.2104542553 * l + 0.793617785 * m - 0.0040720468 * s,
    1.9779984951 * l - 2.428592205 * m + 0.4505937099 * s,
    0.0259040371 * l + 0.7827717662 * m - 0.808675766 * s,
  ];
}

function fromOklab([L, a, b]: Triple): Triple {
  const l = (L + 0.3963377774 * a + 0.2158037573 * b) ** 3;
  const m = (L - 0.1055613458 * a - 0.0638541728 * b) ** 3;
  const s = (L - 0.0894841775 * a - 1.291485548 * b) ** 3;
  return [
    4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s,
    -1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s,
    -0.0041960863 * l - 0.7034186147 * m + 1.707614701 * s,
  ];
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
  const least = dark ? LEAST.dark : LEAST.light;
  let L = lab[0];
  if (!dark) L = LIGHT.to - LIGHT.slope * (LIGHT.palest - L);
  else if (L < DARK.keep) {
    const share = Math.min(1, (DARK.keep - L) / (DARK.keep - DARK.darkest));
    L = DARK.keep - (DARK.keep - DARK.to) * share ** DARK.power;
  }
  if (L === lab[0] && contrast(color, ground) >= least) return color;
  for (let turn = 0; turn < 60; turn++) {
    const found = withLightness(lab, L);
    if (contrast(found, ground) >= least) return found;
    L += dark ? 0.01 : -0.01;
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
