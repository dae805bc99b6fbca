/** The map as it is seen, as a picture: PNG or SVG, at the zoom and in the colors of the page. */
import { toScreen, type Camera, type Size } from "../state/camera";
import { ramp } from "../points/ramp";
import { shapePath } from "../points/shapes";
import { FLAG, kept, outlineOf, type PointStyles } from "../points/types";
import { drawCaption, NO_CAPTION, roomOf } from "./caption";
import { round, SvgContext } from "./svg";
import type { RGB, Theme } from "../host/theme";
import { MARKER_SYMBOLS } from "../wire/wire.generated";
import * as strings from "../strings";

/** What a map gives for a picture of it. */
export interface Scene {
  camera: Camera;
  size: Size;
  theme: Theme;
  positions: Float32Array;
  styles: PointStyles;
  /** Draw the points alone on a canvas of so many pixels for each pixel of CSS. */
  points(scale: number): HTMLCanvasElement;
  /** Draw what lies over them, in pixels of CSS. */
  over(context: CanvasRenderingContext2D, scale: number): void;
}

/** Pixels of a PNG for each pixel on the page: enough for print. */
const SCALE = 2;
/** Points above which an SVG has them as one image, because each would be an element. */
const MOST_ELEMENTS = 20_000;

const css = ([r, g, b]: RGB): string => `rgb(${r},${g},${b})`;

/** The color at a share of a scale. */
const mixed = (share: number, stops: readonly string[]): string => css(ramp(101, stops)[Math.round(100 * share)]);

export async function png(scene: Scene, caption = NO_CAPTION): Promise<Blob> {
  const { width, height } = scene.size;
  const { above: top, beside } = roomOf(caption);
  const [mapWidth, mapHeight] = [Math.round(width * SCALE), Math.round(height * SCALE)];
  const canvas = document.createElement("canvas");
  canvas.width = mapWidth + SCALE * beside;
  canvas.height = mapHeight + SCALE * top;
  const context = canvas.getContext("2d");
  if (!context) throw new Error(strings.theBrowserCannotDraw);
  context.fillStyle = css(scene.theme.background);
  context.fillRect(0, 0, canvas.width, canvas.height);
  context.drawImage(scene.points(SCALE), 0, SCALE * top, mapWidth, mapHeight);
  const layer = document.createElement("canvas"); // the overlay begins by clearing its canvas
  layer.width = mapWidth;
  layer.height = mapHeight;
  const above = layer.getContext("2d");
  if (above) scene.over(above, SCALE);
  context.drawImage(layer, 0, SCALE * top);
  context.scale(SCALE, SCALE);
  drawCaption(context, caption, width, height, scene.theme.accent, mixed);
  return new Promise((done, failed) => canvas.toBlob((blob) => (blob ? done(blob) : failed(new Error(strings.thePictureIsTooLarge))), "image/png"));
}

export function svg(scene: Scene, caption = NO_CAPTION): Blob {
  const { size, theme } = scene;
  const { above, beside } = roomOf(caption);
  const [width, height] = [round(size.width + beside), round(size.height + above)];
  const around = new SvgContext();
  drawCaption(around.context, caption, size.width, size.height, theme.accent, mixed);
  const over = new SvgContext();
  scene.over(over.context, 1);
  const text = [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}">`,
    `<rect width="${width}" height="${height}" fill="${css(theme.background)}"/>`,
    above || beside ? `<svg y="${above}" width="${round(size.width)}" height="${round(size.height)}">` : "",
    pointsOf(scene),
    String(over),
    above || beside ? `</svg>${around}` : "",
    "</svg>\n",
  ].join("\n");
  return new Blob([text], { type: "image/svg+xml" });
}

function pointsOf(scene: Scene): string {
  const { positions, styles, camera, size } = scene;
  const there = Math.min(styles.order.length, positions.length >> 1);
  if (there > MOST_ELEMENTS) {
    return `<image width="${round(size.width)}" height="${round(size.height)}" href="${scene.points(SCALE).toDataURL("image/png")}"/>`;
  }
  const parts: string[] = [];
  const bodies: string[] = [];
  const [, marked, chosen] = styles.layers;
  const shares = kept(styles);
  for (const [k, i] of styles.order.entries()) {
    if (k === marked) fade(parts, shares[0]);
    if (k === chosen) fade(parts, shares[1]);
    if (2 * i + 1 >= positions.length) continue;
    const [x, y] = toScreen(camera, size, positions[2 * i], positions[2 * i + 1]);
    const reach = 30;
    if (x < -reach || y < -reach || x > size.width + reach || y > size.height + reach) continue;
    const [below, body] = pointOf(scene, i, x, y);
    // The outlines of selected points are below all of them, as on the page.
    const selected = (styles.marks[4 * i + 2] & FLAG.selected) !== 0;
    parts.push(selected ? below : below + body);
    if (selected) bodies.push(body);
  }
  return [...parts, ...bodies].join("\n");
}

/** Let the elements so far keep a share of their opacity together. */
function fade(parts: string[], share: number): void {
  if (share < 1) parts.splice(0, parts.length, `<g opacity="${round(share)}">`, ...parts, "</g>");
}

/** A point as the renderers draw it: what lies below it, such as the outline of selection, and itself. */
function pointOf({ styles, camera, theme }: Scene, i: number, x: number, y: number): [string, string] {
  const [r, g, b, alpha] = styles.colors.subarray(4 * i, 4 * i + 4);
  const [shape, diameter, flags, filled] = styles.marks.subarray(4 * i, 4 * i + 4);
  const radius = diameter * 0.125 * camera.markerScale;
  const opacity = alpha < 255 ? ` opacity="${round(alpha / 255)}"` : "";
  const color: RGB = [r, g, b];
  const ring = flags & FLAG.linked ? `<circle cx="${round(x)}" cy="${round(y)}" r="${round(radius + 2.4)}" fill="none" stroke="${css(color)}" stroke-opacity="0.8" stroke-width="1.2"/>` : "";
  if (!(flags & (FLAG.outlined | FLAG.selected))) {
    return [ring, `<circle cx="${round(x)}" cy="${round(y)}" r="${round(radius)}" fill="${css(color)}"${opacity}/>`];
  }
  const share = flags & FLAG.outlined ? filled / 255 : 1;
  const mix = (c: 0 | 1 | 2): number => Math.round(theme.background[c] + share * (color[c] - theme.background[c]));
  const body = css([mix(0), mix(1), mix(2)]);
  const scale = radius / 10;
  const path = shapePath(MARKER_SYMBOLS[shape]);
  const selected = (flags & FLAG.selected) !== 0;
  const edge = selected ? theme.accent : theme.background;
  const width = (selected ? 2 * outlineOf(radius, 1) : 2) / scale;
  const group = (inner: string): string =>
    `<g transform="translate(${round(x - radius)},${round(y - radius)}) scale(${Math.round(1e4 * scale) / 1e4})"${opacity}>${inner}</g>`;
  const under = `<path d="${path}" fill="${css(edge)}" stroke="${css(edge)}" stroke-width="${round(width)}"/>`;
  const upper = `<path d="${path}" fill="${body}" stroke="${css(color)}" stroke-width="${round(flags & FLAG.outlined ? 1.1 / scale : 0)}"/>`;
  return selected ? [ring + group(under), group(upper)] : [ring, group(under + upper)];
}
