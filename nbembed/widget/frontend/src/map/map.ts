/**
 * The map of one view: owns its canvases and camera, draws the newest layout at most once in an
 * animation frame, and turns gestures into selections.
 */
import { effect, signal, type Signal } from "@preact/signals";
import { createRenderer } from "../points/renderer";
import type { PointRenderer } from "../points/types";
import { pointStyles } from "../points/styles";
import type { Questions } from "../questions";
import type { Store } from "../store";
import type { Theme } from "../theme";
import { panBy, toData, toScreen, zoomAt, type Camera, type Size } from "./camera";
import { Fit } from "./fit";
import { Transition } from "./transition";
import { attachGestures, type GestureTarget } from "./gestures";
import { drawOverlay } from "./overlay";
import { insidePolygon, nearest, type Combine } from "./pick";

export type Tool = "pan" | "lasso";

interface Hover {
  index: number;
  x: number;
  y: number;
}

/** Distance in pixels within which a pointer hits a point. */
const REACH = 9;
/** Distance in pixels from the edge of the view within which a point asked for is brought inside. */
const EDGE = 40;

export class PointMap {
  readonly hover = signal<Hover | null>(null);
  readonly wheelHint = signal(false);
  /** Whether the person has panned or zoomed; the view then no longer follows the points. */
  readonly manual = signal(false);

  private readonly stage: HTMLDivElement;
  private readonly overlay: HTMLCanvasElement;
  private renderer: PointRenderer;
  private readonly fit = new Fit();
  private readonly transition = new Transition();
  private camera: Camera = { x: 0, y: 0, scale: 1, markerScale: 1 };
  private home = 1;
  private size: Size = { width: 1, height: 1 };
  private ratio = 1;
  private lasso: { path: number[]; mode: Combine } | null = null;
  private cursor: [number, number] | null = null;
  private request = 0;
  private lastTime = 0;
  /** Of the last quantized layout; see Layout. */
  private step = 0;
  private stale = { styles: true, layout: true };
  private readonly off: (() => void)[] = [];
  private hintTimer: ReturnType<typeof setTimeout> | undefined;

  constructor(
    private readonly root: HTMLElement,
    readonly element: HTMLElement,
    private readonly store: Store,
    private readonly theme: Signal<Theme>,
    private readonly tool: Signal<Tool>,
    private readonly apart: Signal<Uint32Array | null>,
    private readonly questions: Questions,
    private readonly select: (points: Uint32Array, how: Combine) => void,
  ) {
    // The pixel position of a point on the map, for tests and tools.
    Object.assign(element, { nbembedWhere: (i: number) => this.where(i) });
    this.stage = document.createElement("div");
    this.stage.className = "nbe-stage";
    element.prepend(this.stage);
    this.renderer = this.makeRenderer(true);
    this.overlay = this.canvas("nbe-overlay");
    this.follow();
    const observer = new ResizeObserver(() => this.measure());
    observer.observe(element);
    const sight = new IntersectionObserver((entries) =>
      store.setVisible(this, entries[entries.length - 1].isIntersecting));
    sight.observe(element);
    this.off.push(
      () => observer.disconnect(),
      () => sight.disconnect(),
      () => store.setVisible(this, null),
      () => store.needPrecision(this, false),
      attachGestures(element, this.gestures()),
    );
    this.measure();
  }

  destroy(): void {
    for (const off of this.off) off();
    cancelAnimationFrame(this.request);
    clearTimeout(this.hintTimer);
    this.renderer.destroy();
    this.stage.remove();
  }

  /** Show the whole map, and follow it again. */
  fitView(): void {
    this.manual.value = false;
    this.fit.aim(this.positions, true, this.store.centers.peek());
    this.redraw();
  }

  /** Move the view, if a point is outside it or at its edge. */
  bringIntoView(index: number): void {
    const [x, y] = this.where(index);
    const { width, height } = this.size;
    const margin = Math.min(EDGE, width / 4, height / 4);
    if (Number.isFinite(x + y) && (x < margin || y < margin || x > width - margin || y > height - margin)) {
      if (this.manual.peek()) this.moveCamera(panBy(this.camera, width / 2 - x, height / 2 - y));
    }
    this.redraw();
  }

  zoomBy(factor: number): void {
    const [x, y] = this.cursor ? toScreen(this.camera, this.size, ...this.cursor) : [this.size.width / 2, this.size.height / 2];
    this.moveCamera(zoomAt(this.camera, this.size, x, y, factor));
  }

  /** Move the keyboard cursor by screen pixels; it starts in the middle of the view. */
  moveCursor(dx: number, dy: number): number {
    const { size, camera } = this;
    const from = this.cursor ? toScreen(camera, size, ...this.cursor) : [size.width / 2, size.height / 2];
    const x = Math.min(Math.max(from[0] + (this.cursor ? dx : 0), 6), size.width - 6);
    const y = Math.min(Math.max(from[1] + (this.cursor ? dy : 0), 6), size.height - 6);
    this.cursor = toData(camera, size, x, y);
    this.redraw();
    return this.cursorPoint();
  }

  get cursorShown(): boolean {
    return this.cursor !== null;
  }

  hideCursor(): void {
    this.cursor = null;
    this.redraw();
  }

  /** The point nearest to the keyboard cursor, −1 if none is near. */
  cursorPoint(): number {
    return this.cursor ? nearest(this.positions, ...this.cursor, (3 * REACH) / this.camera.scale) : -1;
  }

  private where(index: number): [number, number] {
    return toScreen(this.camera, this.size, this.positions[2 * index], this.positions[2 * index + 1]);
  }

  private get positions(): Float32Array {
    return this.store.layout.peek().positions;
  }

  private makeRenderer(allowWebGL: boolean): PointRenderer {
    const renderer = createRenderer(
      this.store.traits.n_samples.peek(),
      () => this.canvas("nbe-points"),
      () => {
        this.renderer.destroy();
        this.renderer = this.makeRenderer(false);
        this.renderer.resize(this.size.width, this.size.height, this.ratio);
        this.stale = { styles: true, layout: true };
        this.redraw();
      },
      () => this.redraw(),
      allowWebGL,
    );
    this.root.dataset.renderer = renderer.kind;
    return renderer;
  }

  private canvas(name: string): HTMLCanvasElement {
    const canvas = document.createElement("canvas");
    canvas.className = name;
    canvas.setAttribute("aria-hidden", "true");
    if (name === "nbe-points") {
      // At most one canvas of points, below the overlay; a canvas that was refused a context is useless.
      this.stage.querySelectorAll(".nbe-points").forEach((old) => old.remove());
      this.stage.prepend(canvas);
    } else {
      this.stage.append(canvas);
    }
    return canvas;
  }

  /** Redraw when anything that is drawn changes. */
  private follow(): void {
    const { store } = this;
    this.off.push(
      effect(() => {
        const layout = store.layout.value;
        this.stale.layout = true;
        if (layout.fresh || store.traits.color_by.peek() === "probability") this.stale.styles = true;
        this.fit.aim(layout.positions, layout.fresh, store.centers.peek());
        this.transition.aim(layout.positions, layout.fresh, performance.now());
        this.redraw();
      }),
      effect(() => {
        void [store.traits.label_codes.value, store.traits.label_confidence.value, store.traits.classes.value, store.traits.links.value];
        const { selection, color_column, color_values, color_by } = store.traits;
        if (color_by.value === "suggestion") void [store.suggestions.value, this.questions.hidden.value];
        void [selection.value, color_column.value, color_values.value, color_by.value, this.theme.value];
        this.stale.styles = true;
        this.redraw();
      }),
      effect(() => {
        const { cannot_links, pinned, directions, direction_colors, borders } = store.traits;
        void [cannot_links.value, pinned.value, directions.value, direction_colors.value, borders.value, store.centers.value, this.apart.value, this.questions.point.value];
        this.redraw();
      }),
    );
  }

  private measure(): void {
    const ratio = Math.min(window.devicePixelRatio || 1, 3);
    const size = { width: this.element.clientWidth, height: this.element.clientHeight };
    if (!size.width || !size.height) return;
    if (size.width === this.size.width && size.height === this.size.height && ratio === this.ratio) return;
    this.size = size;
    this.ratio = ratio;
    this.renderer.resize(size.width, size.height, ratio);
    this.overlay.width = Math.round(size.width * ratio);
    this.overlay.height = Math.round(size.height * ratio);
    this.redraw();
  }

  private redraw(): void {
    if (!this.request) this.request = requestAnimationFrame((time) => this.draw(time));
  }

  private draw(time: number): void {
    this.request = 0;
    const seconds = Math.min(0.1, Math.max(0.001, (time - this.lastTime) / 1000));
    this.lastTime = time;
    if ((window.devicePixelRatio || 1) !== this.ratio) this.measure();
    const began = performance.now();
    const { store, renderer } = this;
    const layout = store.layout.peek();
    const moving = !this.manual.peek() && this.fit.step(seconds);
    if (!this.manual.peek()) {
      const camera = this.fit.camera(this.size);
      if (camera) {
        this.camera = camera;
        this.home = camera.scale;
      }
    }
    const theme = this.theme.peek();
    if (this.stale.styles) {
      renderer.setStyles(pointStyles({
        size: layout.positions.length >> 1,
        colorBy: store.traits.color_by.peek(),
        column: store.traits.color_column.peek(),
        values: store.traits.color_values.peek(),
        membershipColors: layout.membershipColors,
        suggestions: store.suggestions.peek(),
        hidden: this.questions.hidden.peek(),
        labels: store.traits.label_codes.peek(),
        confidences: store.traits.label_confidence.peek(),
        classes: store.traits.classes.peek(),
        links: store.traits.links.peek(),
        selection: store.traits.selection.peek(),
        neutral: theme.neutral,
      }));
    }
    const inTransition = this.transition.moving;
    const positions = this.transition.positions(began);
    if (this.stale.layout || inTransition) renderer.setPositions(positions);
    renderer.setThemeColors({ background: theme.background, accent: theme.accent });
    renderer.draw(this.camera);
    // Half a step of quantized positions may be half a pixel of the screen, not more.
    if (layout.step > 0) this.step = layout.step;
    store.needPrecision(this, this.step * this.camera.scale * this.ratio > 1);
    this.moveHover();
    this.drawOverlay(positions);
    if (this.stale.layout) this.reportDrawn(began);
    this.stale = { styles: false, layout: false };
    if (moving || this.transition.moving) this.redraw();
  }

  private drawOverlay(positions: Float32Array): void {
    const context = this.overlay.getContext("2d");
    if (!context) return;
    const { store } = this;
    drawOverlay(context, this.ratio, {
      camera: this.camera,
      size: this.size,
      theme: this.theme.peek(),
      positions,
      links: store.traits.links.peek(),
      cannotLinks: store.traits.cannot_links.peek(),
      pinned: store.traits.pinned.peek(),
      centers: store.centers.peek(),
      apart: this.apart.peek(),
      labels: store.traits.label_codes.peek(),
      classes: store.traits.classes.peek(),
      directions: store.traits.directions.peek(),
      borders: store.traits.borders.peek(),
      directionColors: store.traits.direction_colors.peek(),
      lasso: this.lasso,
      hover: this.hover.peek()?.index ?? -1,
      asked: this.questions.point.peek(),
      cursor: this.cursor,
      cursorPoint: this.cursorPoint(),
    });
  }

  /** Acknowledge the frame, and tell tests and tools when it was drawn and which commands it shows. */
  private reportDrawn(began: number): void {
    const { store, root } = this;
    const layout = store.layout.peek();
    const drawnAt = performance.now();
    const causes = store.drawn(layout).map((cause) => ({ ...cause, latency: drawnAt - cause.at }));
    for (const { request, at } of causes) {
      performance.measure(`nbembed:effect:${request}`, { start: at, end: drawnAt });
    }
    root.dataset.version = String(layout.version);
    root.dataset.drawn = String(Number(root.dataset.drawn ?? 0) + 1);
    root.dispatchEvent(new CustomEvent("nbembed:frame", {
      detail: { version: layout.version, iteration: store.traits.iteration.peek(), arrivedAt: layout.arrivedAt, drawnAt, took: drawnAt - began, causes },
    }));
  }

  private moveCamera(camera: Camera): void {
    const scale = Math.min(Math.max(camera.scale, this.home / 20), this.home * 400);
    this.camera = { ...camera, scale, markerScale: Math.min(2.2, Math.max(0.7, (scale / this.home) ** 0.3)) };
    this.manual.value = true;
    this.redraw();
  }

  private gestures(): GestureTarget {
    return {
      tool: () => this.tool.peek(),
      wheelAllowed: (event) => event.ctrlKey || this.root.contains(document.activeElement),
      wheelRefused: () => {
        this.wheelHint.value = true;
        clearTimeout(this.hintTimer);
        this.hintTimer = setTimeout(() => (this.wheelHint.value = false), 1400);
      },
      pan: (dx, dy) => this.moveCamera(panBy(this.camera, dx, dy)),
      zoom: (x, y, factor) => this.moveCamera(zoomAt(this.camera, this.size, x, y, factor)),
      hover: (x, y) => this.point(x, y),
      leave: () => this.setHover(null),
      click: (x, y, how) => {
        const index = this.at(x, y);
        if (how === "replace" && this.tool.peek() === "pan") return;
        this.select(index < 0 ? new Uint32Array(0) : Uint32Array.of(index), how);
      },
      lassoMove: (path, mode) => {
        this.lasso = { path, mode };
        this.redraw();
      },
      lassoEnd: (path, mode) => {
        this.lasso = null;
        const polygon: number[] = [];
        for (let i = 0; i < path.length; i += 2) polygon.push(...toData(this.camera, this.size, path[i], path[i + 1]));
        this.select(insidePolygon(this.positions, polygon), mode);
        this.redraw();
      },
      lassoCancel: () => {
        this.lasso = null;
        this.redraw();
      },
    };
  }

  private at(x: number, y: number): number {
    return nearest(this.positions, ...toData(this.camera, this.size, x, y), REACH / this.camera.scale);
  }

  private point(x: number, y: number): void {
    const index = this.at(x, y);
    const before = this.hover.peek();
    if (index < 0) this.setHover(null);
    else if (before?.index !== index) {
      const [sx, sy] = this.where(index);
      this.setHover({ index, x: sx, y: sy });
    }
  }

  /** Move the tooltip along with its point. */
  private moveHover(): void {
    const hover = this.hover.peek();
    if (!hover) return;
    const [x, y] = this.where(hover.index);
    if (Math.hypot(x - hover.x, y - hover.y) > 0.5) this.hover.value = { index: hover.index, x, y };
  }

  private setHover(hover: Hover | null): void {
    if (hover === this.hover.peek()) return;
    this.hover.value = hover;
    this.redraw();
  }
}
