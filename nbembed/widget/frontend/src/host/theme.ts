/**
 * The theme: light or dark, and the colors that the canvases need. JupyterLab's variables decide
 * where they are set, then what other hosts mark their page with, then the system's preference.
 */
import { signal, type Signal } from "@preact/signals";

export type RGB = [number, number, number];

export interface Theme {
  dark: boolean;
  background: RGB;
  foreground: RGB;
  accent: RGB;
  neutral: RGB;
}

const cache = new Map<string, RGB>();
let probe: CanvasRenderingContext2D | null = null;

/** Any CSS color as RGB, parsed by the browser. */
export function parseColor(text: string): RGB {
  const known = cache.get(text);
  if (known) return known;
  let color: RGB = [128, 128, 128];
  const hex = /^#([0-9a-f]{6})$/i.exec(text.trim());
  if (hex) {
    const v = parseInt(hex[1], 16);
    color = [v >> 16, (v >> 8) & 255, v & 255];
  } else {
    probe ??= document.createElement("canvas").getContext("2d", { willReadFrequently: true });
    if (probe) {
      probe.fillStyle = "#808080";
      probe.fillStyle = text;
      probe.fillRect(0, 0, 1, 1);
      const [r, g, b] = probe.getImageData(0, 0, 1, 1).data;
      color = [r, g, b];
    }
  }
  cache.set(text, color);
  return color;
}

/** A color of a canvas. */
export function rgba([r, g, b]: RGB, alpha: number): string {
  return `rgba(${r},${g},${b},${alpha})`;
}

function luminance([r, g, b]: RGB): number {
  return (0.2126 * r + 0.7152 * g + 0.0722 * b) / 255;
}

const DARK = "[data-theme=dark], .dark, .vscode-dark, .vscode-high-contrast:not(.vscode-high-contrast-light)";
const LIGHT = "[data-theme=light], .light, .vscode-light, .vscode-high-contrast-light";

/** What the page is marked with: by marimo and VS Code at its body, elsewhere often at its root. Null without a mark. */
function markedDark(): boolean | null {
  for (const element of [document.body, document.documentElement]) {
    if (element.matches(DARK)) return true;
    if (element.matches(LIGHT)) return false;
  }
  return null;
}

/** Follow the theme of `root`; returns the signal and a clean-up. */
export function followTheme(root: HTMLElement): { theme: Signal<Theme>; stop: () => void } {
  const system = matchMedia("(prefers-color-scheme: dark)");
  const read = (): Theme => {
    const jupyter = getComputedStyle(document.body).getPropertyValue("--jp-layout-color1").trim();
    const dark = jupyter ? luminance(parseColor(jupyter)) < 0.5 : (markedDark() ?? system.matches);
    root.dataset.theme = dark ? "dark" : "light";
    const style = getComputedStyle(root);
    const get = (name: string) => parseColor(style.getPropertyValue(name).trim());
    return {
      dark,
      background: get("--nbe-map"),
      foreground: get("--nbe-text"),
      accent: get("--nbe-select"),
      neutral: get("--nbe-neutral"),
    };
  };
  const theme = signal(read());
  const update = () => {
    const next = read();
    if (JSON.stringify(next) !== JSON.stringify(theme.peek())) theme.value = next;
  };
  let late: ReturnType<typeof setTimeout> | undefined;
  const changed = () => {
    update();
    // JupyterLab marks the body before the new style sheet applies.
    clearTimeout(late);
    late = setTimeout(update, 300);
  };
  const observer = new MutationObserver(changed);
  observer.observe(document.body, { attributes: true, attributeFilter: ["data-jp-theme-light", "data-jp-theme-name", "data-theme", "class", "style"] });
  observer.observe(document.documentElement, { attributes: true, attributeFilter: ["class", "style", "data-theme"] });
  system.addEventListener("change", changed);
  // A view is often rendered before it is attached, when it has no computed style yet.
  late = setTimeout(update, 0);
  return {
    theme,
    stop: () => {
      clearTimeout(late);
      observer.disconnect();
      system.removeEventListener("change", changed);
    },
  };
}
