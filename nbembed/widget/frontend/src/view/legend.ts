/** The legend of the map, for a picture of it. */
import { inline } from "../state/cards";
import { columnText, endsOf } from "../state/column_text";
import { short } from "../state/numbers";
import type { Store } from "../state/store";
import { MEASURE_TEXTS, type Why } from "../state/why";
import { shownCss } from "../points/contrast";
import type { Theme } from "../host/theme";
import { scaleStops } from "../points/ramp";
import type { Legend } from "../map/caption";
import { inOrder } from "./naming";

/** The legend of what colors the map now, with the classes where labels are seen; null if there is nothing to tell. */
export function legendOf({ traits }: Store, why: Why, theme: Theme): Legend | null {
  const column = traits.color_column.peek();
  const mode = traits.color_by.peek();
  const stops = scaleStops(theme.dark);
  const used = new Set(traits.label_codes.peek());
  const classes = traits.classes.peek();
  const named = mode === "probability" || mode === "suggestion";
  const labeled = inOrder(classes).filter(({ index }) => named || used.has(index)).map(({ name, index }) => ({ text: inline(name, 80), color: shownCss(classes[index].color, theme) }));
  const measure = why.measure.peek();
  const shown = why.shown.peek();
  if (measure && shown) return { title: MEASURE_TEXTS[measure].title, entries: [], scale: { stops, low: short(shown.low), high: short(shown.high) } };
  if (mode === "column" && column.kind === "category") {
    const entries = column.names.map((name, k) => ({ text: inline(name, 80), color: shownCss(column.colors[k], theme) }));
    const own = new Set(entries.map(({ text }) => text));
    return { title: inline(column.title), entries: [...entries, ...labeled.filter(({ text }) => !own.has(text))], scale: null };
  }
  if (mode === "column" && column.kind !== "none") {
    const [low, high] = endsOf(traits.color_values.peek());
    if (high >= low) return { title: inline(column.title), entries: [], scale: { stops, low: columnText(column, low, 3, high - low), high: columnText(column, high, 3, high - low) } };
  }
  return labeled.length ? { title: "", entries: labeled, scale: null } : null;
}
