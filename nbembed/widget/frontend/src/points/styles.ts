/** From colors, labels, links and the selection to how each point is drawn. */
import type { ClassInfo, ColorColumn, ColorMode } from "../wire/wire.generated";
import { adapted, shown } from "./contrast";
import { endsOf } from "../state/column_text";
import type { GroupColors } from "../state/group_walk";
import { confidenceOf, type Suggestions } from "../state/suggestions";
import type { ShownMeasure } from "../state/why";
import type { RGB, Theme } from "../host/theme";
import type { Crowding } from "./crowding";
import { FLAG, type PointStyles } from "./types";
import { ramp, scaleStops } from "./ramp";
import { shapeIndex } from "./shapes";

interface StyleInput {
  size: number;
  colorBy: ColorMode;
  column: ColorColumn;
  values: Float32Array;
  membershipColors: Uint8Array;
  /** Colors all points, labeled ones too. */
  measure: ShownMeasure | null;
  suggestions: Suggestions;
  /** Suggested groups, while they are being named. */
  groups: GroupColors | null;
  /** Points whose suggestion is not shown. */
  hidden: Set<number>;
  labels: Int32Array;
  confidences: Float32Array;
  classes: ClassInfo[];
  links: number[][];
  selection: Uint32Array;
  /** A point without label and value has its neutral color. */
  theme: Theme;
  crowding: Crowding;
}

/** In place of a layer: points of hidden classes are in none. */
const HIDDEN = 3;
/** Opacity of a point without color, as a share of that of others. */
const NEUTRAL_SHARE = 0.84;
/** A labeled point is as much larger than an unlabeled one: a factor, and quarter pixels. */
const LABELED = { factor: 1.12, more: 3 };

export function pointStyles(input: StyleInput): PointStyles {
  const { size, labels, selection, theme, crowding } = input;
  const colors = new Uint8Array(4 * size);
  const marks = new Uint8Array(4 * size);
  const classColors = input.classes.map((c) => shown(c.color, theme));
  const shapes = input.classes.map((c) => shapeIndex(c.symbol));
  const selected = new Uint8Array(size);
  for (const i of selection) if (i < size) selected[i] = 1;
  const linked = new Uint8Array(size);
  for (const group of input.links) for (const i of group) if (i < size) linked[i] = 1;
  const plain = Math.round(4 * crowding.diameter);
  const labeled = Math.round(LABELED.factor * plain + LABELED.more);
  const paint = painter(input, colors);
  // A class's color would be read as a number; the shape says the class.
  const byNumber = input.measure?.values.length === size || (input.colorBy === "column" && (input.column.kind === "number" || input.column.kind === "time"));

  const layerOf = new Uint8Array(size);
  const counts = [0, 0, 0, 0];
  for (let i = 0; i < size; i++) {
    const o = 4 * i;
    const label = labels[i] ?? -1;
    const isLabeled = label >= 0 && label < classColors.length;
    let flags = linked[i] ? FLAG.linked : 0;
    let opacity = 255;
    if (isLabeled) {
      if (byNumber) paint(i);
      else put(colors, o, classColors[label], 255);
      marks[o] = shapes[label];
      // The fill shows the confidence: full at 1, nearly hollow at 0.5.
      opacity = Math.round(255 * Math.min(1, Math.max(0.1, 2 * (input.confidences[i] || 0) - 1)));
      flags |= FLAG.outlined;
    } else {
      paint(i);
    }
    if (selected[i]) {
      flags |= FLAG.selected;
      if (!isLabeled) solid(colors, o, theme.background, crowding.alpha);
    }
    marks[o + 1] = isLabeled ? labeled : plain + (linked[i] || selected[i] ? 3 : 0);
    marks[o + 2] = flags;
    marks[o + 3] = opacity;
    const hidden = isLabeled && input.classes[label].hidden;
    counts[(layerOf[i] = hidden ? HIDDEN : selected[i] ? 2 : isLabeled || linked[i] ? 1 : 0)]++;
  }
  const drawn = size - counts[HIDDEN];
  const layers: PointStyles["layers"] = [0, counts[0], counts[0] + counts[1], drawn];
  const next = layers.slice();
  const order = new Uint32Array(drawn);
  for (let i = 0; i < size; i++) if (layerOf[i] !== HIDDEN) order[next[layerOf[i]]++] = i;
  return { colors, marks, order, layers };
}

/** A function that writes the color that a point has where its label gives it none. */
function painter(input: StyleInput, colors: Uint8Array): (i: number) => void {
  const { column, values, membershipColors, theme } = input;
  const { neutral } = theme;
  const { alpha } = input.crowding;
  if (input.groups?.codes.length === input.size) {
    const { codes } = input.groups;
    const palette = input.groups.colors.map((color) => shown(color, theme));
    return (i) => put(colors, 4 * i, palette[codes[i]] ?? neutral, alpha);
  }
  if (input.measure?.values.length === input.size) {
    return numberPainter(input.measure.values, input.measure.low, input.measure.high, theme, alpha, colors);
  }
  if (input.colorBy === "probability" && membershipColors.length === 4 * input.size) {
    // Mixtures are many, and most are alike: one color is adapted for those that agree in six bits.
    const known = new Map<number, RGB>();
    return (i) => {
      const o = 4 * i;
      const [r, g, b] = membershipColors.subarray(o, o + 3);
      const key = ((r >> 2) << 12) | ((g >> 2) << 6) | (b >> 2);
      let mixed = known.get(key);
      if (!mixed) known.set(key, (mixed = adapted([r, g, b], theme)));
      const share = membershipColors[o + 3] / 255;
      put(colors, o, mix(neutral, mixed, share), Math.round((NEUTRAL_SHARE + share * (1 - NEUTRAL_SHARE)) * alpha));
    };
  }
  if (input.colorBy === "suggestion" && input.suggestions.state === "ready") return suggestionPainter(input, colors);
  if (input.colorBy === "column" && column.kind === "category") {
    const palette = column.colors.map((color) => shown(color, theme));
    return (i) => {
      const value = values[i];
      put(colors, 4 * i, palette[value] ?? neutral, alpha);
    };
  }
  if (input.colorBy === "column" && (column.kind === "number" || column.kind === "time")) {
    const [low, high] = endsOf(values);
    return numberPainter(values, low, high, theme, alpha, colors);
  }
  return (i) => put(colors, 4 * i, neutral, Math.round(NEUTRAL_SHARE * alpha));
}

/** The color scale from low to high; what lies beyond has the color of the end, what is missing is gray. */
function numberPainter(values: Float32Array, low: number, high: number, { neutral, dark }: Theme, alpha: number, colors: Uint8Array): (i: number) => void {
  const scale = ramp(256, scaleStops(dark));
  const span = high > low ? high - low : 1;
  return (i) => {
    const v = values[i];
    const place = Math.min(255, Math.max(0, Math.round((255 * (v - low)) / span)));
    put(colors, 4 * i, Number.isNaN(v) ? neutral : scale[place], alpha);
  };
}

/** The suggested class's color, the grayer the less sure; gray where no class is suggested. */
function suggestionPainter(input: StyleInput, colors: Uint8Array): (i: number) => void {
  const { suggestions, hidden, theme } = input;
  const { neutral } = theme;
  const classColors = input.classes.map((c) => shown(c.color, theme));
  const chance = classColors.length > 1 ? 1 / classColors.length : 0;
  return (i) => {
    const color = classColors[suggestions.classes[i]];
    const confidence = confidenceOf(suggestions, i);
    const share = hidden.has(i) || !color ? 0 : Math.max(0, (confidence - chance) / (1 - chance));
    put(colors, 4 * i, mix(neutral, color ?? neutral, share), input.crowding.alpha);
  };
}

/** The neutral color with a share of another one. */
function mix(neutral: RGB, color: RGB, share: number): RGB {
  const at = (c: 0 | 1 | 2) => Math.round(neutral[c] + share * (color[c] - neutral[c]));
  return [at(0), at(1), at(2)];
}

/** Make a color opaque as it looks on the ground where the map is not crowded: an outline lies below it. */
function solid(colors: Uint8Array, o: number, ground: RGB, most: number): void {
  const share = Math.min(1, colors[o + 3] / Math.max(most, 1));
  for (let c = 0; c < 3; c++) colors[o + c] = Math.round(ground[c] + share * (colors[o + c] - ground[c]));
  colors[o + 3] = 255;
}

function put(colors: Uint8Array, o: number, color: RGB, alpha: number): void {
  colors[o] = color[0];
  colors[o + 1] = color[1];
  colors[o + 2] = color[2];
  colors[o + 3] = alpha;
}
