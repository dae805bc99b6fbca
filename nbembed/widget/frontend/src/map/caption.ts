/** The frame of a picture of the map on request: a title above, a legend beside it. */
import type { RGB } from "../host/theme";
import * as strings from "../strings";

/** The legend of the colors: names with their colors, or a scale from its lowest to its highest value. */
export interface Legend {
  title: string;
  entries: { text: string; color: string }[];
  /** CSS colors of a scale, and its ends; null where there are names. */
  scale: { stops: readonly string[]; low: string; high: string } | null;
}

export interface Caption {
  title: string;
  legend: Legend | null;
}

export const NO_CAPTION: Caption = { title: "", legend: null };

/** Pixels of CSS. */
const [TITLE, LEGEND, EDGE, LINE] = [36, 170, 14, 19];
const FONT = "system-ui, -apple-system, sans-serif";
/** Steps in which a scale is drawn. */
const STEPS = 40;

/** How much room a caption takes above the map and beside it. */
export function roomOf({ title, legend }: Caption): { above: number; beside: number } {
  return { above: title ? TITLE : 0, beside: legend ? LEGEND : 0 };
}

/** Draw a caption around a map of this size; `mix` gives the color at a share of a scale. */
export function drawCaption(
  context: CanvasRenderingContext2D, { title, legend }: Caption, width: number, height: number, ink: RGB,
  mix: (share: number, stops: readonly string[]) => string,
): void {
  const { above } = roomOf({ title, legend });
  const write = (text: string, x: number, y: number, room: number, font: string): void => {
    context.font = font;
    let shown = text;
    while (shown.length > 1 && context.measureText(shown).width > room) shown = `${[...shown.replace(/…$/, "")].slice(0, -1).join("")}…`;
    context.fillStyle = `rgb(${ink.join()})`;
    context.textAlign = "left";
    context.textBaseline = "middle";
    context.fillText(shown, x, y);
  };
  if (title) write(title, EDGE, TITLE / 2 + 2, width + (legend ? LEGEND : 0) - 2 * EDGE, `600 16px ${FONT}`);
  if (!legend) return;
  const room = LEGEND - 2 * EDGE;
  let y = above + EDGE + LINE / 2;
  if (legend.title) {
    write(legend.title, width + EDGE, y, room, `600 12px ${FONT}`);
    y += LINE;
  }
  if (legend.scale) {
    const { stops, low, high } = legend.scale;
    const tall = Math.min(140, height - 4 * LINE);
    for (let k = 0; k < STEPS; k++) {
      context.fillStyle = mix((k + 0.5) / STEPS, stops);
      context.fillRect(width + EDGE, y + tall - ((k + 1) * tall) / STEPS, 14, tall / STEPS + 0.5);
    }
    write(high, width + EDGE + 22, y + 6, room - 22, `12px ${FONT}`);
    write(low, width + EDGE + 22, y + tall - 6, room - 22, `12px ${FONT}`);
    y += tall + LINE;
  }
  const lines = Math.max(1, Math.floor((above + height - EDGE - y) / LINE));
  const shown = legend.entries.length > lines ? legend.entries.slice(0, lines - 1) : legend.entries;
  for (const { text, color } of shown) {
    context.fillStyle = color;
    context.beginPath();
    context.arc(width + EDGE + 5, y, 5, 0, 2 * Math.PI);
    context.fill();
    write(text || "–", width + EDGE + 18, y, room - 18, `12px ${FONT}`);
    y += LINE;
  }
  if (shown.length < legend.entries.length) write(strings.andMore(legend.entries.length - shown.length), width + EDGE, y, room, `12px ${FONT}`);
}
