/** Class centers of a method: a ringed disc in the color of the class, and its name with a halo. */
import { inline } from "../state/cards";
import { shown } from "../points/contrast";
import type { Center } from "../state/store";
import { rgba, type Theme } from "../host/theme";
import { toScreen, type Camera, type Size } from "../state/camera";
import type { Box } from "./naming";

const RADIUS = 7;
/** Of the disc with its ring. */
const WHOLE = RADIUS + 2.5;
const GAP = RADIUS + 6;
const HALF_LINE = 9;
const FONT = "600 12px system-ui, -apple-system, 'Segoe UI', sans-serif";

interface Scene {
  camera: Camera;
  size: Size;
  theme: Theme;
  centers: readonly Center[];
}

export function drawCenters(context: CanvasRenderingContext2D, { camera, size, theme, centers }: Scene): void {
  if (!centers.length) return;
  context.font = FONT;
  context.textAlign = "left";
  context.textBaseline = "middle";
  for (const { x, y, color } of centers) {
    const [sx, sy] = toScreen(camera, size, x, y);
    context.beginPath();
    context.arc(sx, sy, WHOLE, 0, 2 * Math.PI);
    context.fillStyle = rgba(theme.background, 0.95);
    context.fill();
    context.beginPath();
    context.arc(sx, sy, RADIUS, 0, 2 * Math.PI);
    context.fillStyle = rgba(color ? shown(color, theme) : theme.neutral, 1);
    context.fill();
    context.strokeStyle = rgba(theme.foreground, 0.9);
    context.lineWidth = 1.75;
    context.stroke();
  }
  // Names are drawn after all discs, so that no disc hides one.
  for (const center of centers) {
    const { text, left, line } = nameOf(context, camera, size, center);
    context.lineWidth = 4;
    context.strokeStyle = rgba(theme.background, 0.92);
    context.strokeText(text, left, line);
    context.fillStyle = rgba(theme.foreground, 1);
    context.fillText(text, left, line);
  }
}

/** What the discs and names of centers take of the screen: other names stay out of it. */
export function centerBoxes(context: CanvasRenderingContext2D, camera: Camera, size: Size, centers: readonly Center[]): Box[] {
  context.font = FONT;
  return centers.flatMap((center) => {
    const [x, y] = toScreen(camera, size, center.x, center.y);
    const { width, left, line } = nameOf(context, camera, size, center);
    return [
      { left: x - WHOLE, right: x + WHOLE, top: y - WHOLE, bottom: y + WHOLE },
      { left: left - 3, right: left + width + 3, top: line - HALF_LINE, bottom: line + HALF_LINE },
    ];
  });
}

/** The name beside a center, inside the map. */
function nameOf(context: CanvasRenderingContext2D, camera: Camera, size: Size, { x, y, name }: Center): { text: string; width: number; left: number; line: number } {
  const [sx, sy] = toScreen(camera, size, x, y);
  const text = inline(name, 24);
  const { width } = context.measureText(text);
  const left = sx + GAP + width > size.width - 4 ? sx - GAP - width : sx + GAP;
  return { text, width, left, line: Math.min(Math.max(sy, HALF_LINE), size.height - HALF_LINE) };
}
