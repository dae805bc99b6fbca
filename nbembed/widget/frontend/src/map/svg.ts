/**
 * A drawing context that writes SVG: what draws over the points on a canvas draws into a file as it
 * stands. It knows the calls that the overlay makes; others are left out of the picture.
 */

/** Characters that XML cannot hold. */
const FORBIDDEN = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;
const ENTITIES: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };

/** Any text as the content or an attribute of an element. */
export function xml(text: string): string {
  return text.replace(FORBIDDEN, "\ufffd").replace(/[&<>"]/g, (c) => ENTITIES[c]);
}

export const round = (value: number): string => String(Math.round(value * 100) / 100);

class Gradient {
  readonly stops: string[] = [];

  constructor(
    readonly name: string,
    private readonly ends: [number, number, number, number],
  ) {}

  addColorStop(offset: number, color: string): void {
    const [paint, opacity] = paintOf(color);
    this.stops.push(`<stop offset="${offset}" stop-color="${paint}" stop-opacity="${opacity}"/>`);
  }

  toString(): string {
    const [x1, y1, x2, y2] = this.ends.map(round);
    return `<linearGradient id="${this.name}" gradientUnits="userSpaceOnUse" x1="${x1}" y1="${y1}" x2="${x2}" y2="${y2}">${this.stops.join("")}</linearGradient>`;
  }
}

/** A color and its opacity, which older readers of SVG take apart only. */
function paintOf(color: unknown): [string, string] {
  if (color instanceof Gradient) return [`url(#${color.name})`, "1"];
  const parts = /^rgba\((\d+),(\d+),(\d+),([\d.e-]+)\)$/.exec(String(color).replace(/\s/g, ""));
  return parts ? [`rgb(${parts.slice(1, 4).join()})`, parts[4]] : [xml(String(color)), "1"];
}

const ANCHORS: Record<string, string> = { center: "middle", right: "end", end: "end" };

export class SvgContext {
  strokeStyle: unknown = "#000";
  fillStyle: unknown = "#000";
  lineWidth = 1;
  lineJoin = "miter";
  lineCap = "butt";
  font = "10px sans-serif";
  textAlign = "start";
  textBaseline = "alphabetic";
  globalAlpha = 1;
  imageSmoothingEnabled = true;
  private readonly parts: string[] = [];
  private readonly gradients: Gradient[] = [];
  private path: string[] = [];
  private dash: number[] = [];
  private readonly ruler = document.createElement("canvas").getContext("2d");

  /** The same object as the type that drawing code takes; calls that it does not know do nothing. */
  get context(): CanvasRenderingContext2D {
    const known = new Proxy(this, { get: (target, name) => (name in target ? bound(target, name) : () => undefined) });
    return known as unknown as CanvasRenderingContext2D;
  }

  toString(): string {
    return `<defs>${this.gradients.join("")}</defs>${this.parts.join("\n")}`;
  }

  beginPath(): void {
    this.path = [];
  }

  moveTo(x: number, y: number): void {
    this.path.push(`M${round(x)},${round(y)}`);
  }

  lineTo(x: number, y: number): void {
    this.path.push(`${this.path.length ? "L" : "M"}${round(x)},${round(y)}`);
  }

  quadraticCurveTo(cx: number, cy: number, x: number, y: number): void {
    this.path.push(`Q${round(cx)},${round(cy)} ${round(x)},${round(y)}`);
  }

  bezierCurveTo(ax: number, ay: number, bx: number, by: number, x: number, y: number): void {
    this.path.push(`C${round(ax)},${round(ay)} ${round(bx)},${round(by)} ${round(x)},${round(y)}`);
  }

  closePath(): void {
    this.path.push("Z");
  }

  rect(x: number, y: number, width: number, height: number): void {
    this.path.push(`M${round(x)},${round(y)}h${round(width)}v${round(height)}h${round(-width)}z`);
  }

  arc(x: number, y: number, r: number, from: number, to: number): void {
    const at = (angle: number): string => `${round(x + r * Math.cos(angle))},${round(y + r * Math.sin(angle))}`;
    const part = (angle: number, long: number): string => `A${round(r)},${round(r)} 0 ${long} 1 ${at(angle)}`;
    const turn = to - from;
    this.path.push(`${this.path.length && turn < 6.28 ? "L" : "M"}${at(from)}`);
    if (turn >= 6.28) this.path.push(part(from + Math.PI, 0), part(from, 0));
    else this.path.push(part(to, turn > Math.PI ? 1 : 0));
  }

  roundRect(x: number, y: number, width: number, height: number, radius: number): void {
    const r = Math.min(radius, width / 2, height / 2);
    const [w, h] = [round(width - 2 * r), round(height - 2 * r)];
    const corner = (dx: number, dy: number): string => `a${round(r)},${round(r)} 0 0 1 ${round(dx)},${round(dy)}`;
    this.path.push(`M${round(x + r)},${round(y)}h${w}${corner(r, r)}v${h}${corner(-r, r)}h-${w}${corner(-r, -r)}v-${h}${corner(r, -r)}z`);
  }

  stroke(): void {
    if (!this.path.length) return;
    this.parts.push(`<path d="${this.path.join("")}" fill="none"${this.strokes()} stroke-linecap="${this.lineCap}" stroke-linejoin="${this.lineJoin}"/>`);
  }

  fill(): void {
    if (!this.path.length) return;
    this.parts.push(`<path d="${this.path.join("")}"${this.fills()}/>`);
  }

  fillRect(x: number, y: number, width: number, height: number): void {
    this.parts.push(`<rect x="${round(x)}" y="${round(y)}" width="${round(width)}" height="${round(height)}"${this.fills()}/>`);
  }

  fillText(text: string, x: number, y: number): void {
    this.text(text, x, y, this.fills());
  }

  strokeText(text: string, x: number, y: number): void {
    this.text(text, x, y, ` fill="none"${this.strokes()} stroke-linejoin="round"`);
  }

  drawImage({ src }: HTMLImageElement, x: number, y: number, width: number, height: number): void {
    const sharp = this.imageSmoothingEnabled ? "" : ' style="image-rendering:pixelated"';
    this.parts.push(`<image x="${round(x)}" y="${round(y)}" width="${round(width)}" height="${round(height)}" opacity="${round(this.globalAlpha)}"${sharp} href="${xml(src)}"/>`);
  }

  measureText(text: string): TextMetrics | { width: number } {
    if (!this.ruler) return { width: 6 * text.length };
    this.ruler.font = this.font;
    return this.ruler.measureText(text);
  }

  setLineDash(dash: number[]): void {
    this.dash = dash;
  }

  createLinearGradient(x1: number, y1: number, x2: number, y2: number): Gradient {
    const made = new Gradient(`fade${this.gradients.length}`, [x1, y1, x2, y2]);
    this.gradients.push(made);
    return made;
  }

  private text(text: string, x: number, y: number, paint: string): void {
    const [, weight, size, family] = /^(?:(\d+|bold) )?([\d.]+)px (.*)$/.exec(this.font) ?? ["", "", "11", "sans-serif"];
    const anchor = ANCHORS[this.textAlign] ?? "start";
    const middle = this.textBaseline === "middle" ? ' dominant-baseline="central"' : "";
    this.parts.push(
      `<text x="${round(x)}" y="${round(y)}" text-anchor="${anchor}"${middle} font-family="${xml(family)}" font-size="${size}"${weight ? ` font-weight="${weight}"` : ""}${paint}>${xml(text)}</text>`,
    );
  }

  private fills(): string {
    const [paint, opacity] = paintOf(this.fillStyle);
    return ` fill="${paint}" fill-opacity="${round(Number(opacity) * this.globalAlpha)}"`;
  }

  private strokes(): string {
    const [paint, opacity] = paintOf(this.strokeStyle);
    const dash = this.dash.length ? ` stroke-dasharray="${this.dash.join(" ")}"` : "";
    return ` stroke="${paint}" stroke-opacity="${round(Number(opacity) * this.globalAlpha)}" stroke-width="${this.lineWidth}"${dash}`;
  }
}

function bound(target: object, name: string | symbol): unknown {
  const value = Reflect.get(target, name) as unknown;
  return typeof value === "function" ? value.bind(target) : value;
}
