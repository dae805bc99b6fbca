/**
 * The map of one view: owns its canvases and camera, draws the newest layout at most once in an
 * animation frame, and turns gestures into selections.
 */
import { effect, signal, type ReadonlySignal, type Signal } from "@preact/signals";
import { crowding, differs, type Crowding } from "../points/crowding";
import type { Scene } from "./picture";
import type { PointStyles } from "../points/types";
import { pointStyles } from "../points/styles";
import { tinted } from "../points/tint";
import type { Compare } from "../state/compare";
import type { GroupColors } from "../state/group_walk";
import type { Questions } from "../state/questions";
import type { Store } from "../state/store";
import { focusIsIn } from "../host/roots";
import type { Theme } from "../host/theme";
import { panBy, showsAny, toData, toScreen, zoomAt, type Camera } from "../state/camera";
import { Fit } from "./fit";
import { Transition } from "./transition";
import { attachGestures, type Gestures, type GestureTarget, type Tool } from "./gestures";
import { NameTags } from "./name_tags";
import type { OpenCards } from "./open_cards";
import { drawOverlay, type OverlayState } from "./overlay";
import { insidePolygon, nearest, nearPath, type Combine } from "../state/pick";
import { ShownPositions } from "../state/shown_positions";
import { Stage } from "./stage";
import { WhyDrawing } from "./why_drawing";
import type { Why } from "../state/why";
import * as strings from "../strings";

export type { Tool };

interface Hover {
  index: number;
  x: number;
  y: number;
}

/** Distance in pixels within which a pointer hits a point. */
export const REACH = 9;
/** The same of a finger. */
export const FINGER = 20;
/** Selected points whose names come before those of others. */
export const MOST_FIRST = 200;
/** Distance in pixels from the edge of the view within which a point asked for is brought inside. */
const EDGE = 40;

/** Select points with the pointer; `by` says with which tool, where it is one. */
export type SelectByHand = (points: Uint32Array, how: Combine, touch: boolean, by?: string) => void;

export class PointMap {
  readonly hover = signal<Hover | null>(null);
  /** What is said at the edge of the map for a moment. */
  readonly hint = signal("");
  /** Whether the person has panned or zoomed; the view then no longer follows the points. */
  readonly manual = signal(false);
  /** Whether the person has moved the view to where no point is. */
  readonly empty = signal(false);
  /** How the points are drawn, and the camera of the last drawing, for what shows them elsewhere. */
  readonly styles = signal<PointStyles | null>(null);
  /** The same without the colors of a comparison. */
  readonly plain = signal<PointStyles | null>(null);
  readonly shot: Signal<Camera>;
  readonly target: GestureTarget;
  /** Gives up what is being drawn on the map beside this one; returns whether anything was. */
  cancelOther: () => boolean = () => false;

  private readonly stage: Stage;
  private readonly tags: NameTags;
  private readonly reasons: WhyDrawing;
  private tagTimer: ReturnType<typeof setTimeout> | undefined;
  private readonly fit = new Fit();
  private readonly transition = new Transition();
  private camera: Camera = { x: 0, y: 0, scale: 1, markerScale: 1 };
  private home = 1;
  private drawing: { path: number[]; tool: Tool; mode: Combine } | null = null;
  private readonly gestures: Gestures;
  private cursor: [number, number] | null = null;
  private request = 0;
  private lastTime = 0;
  /** Of the last quantized layout; see Layout. */
  private step = 0;
  private stale = { styles: true, layout: true, blend: false };
  private crowding: Crowding = crowding(new Float32Array(0));
  private readonly shown: ShownPositions;
  private readonly off: (() => void)[] = [];
  private hintTimer: ReturnType<typeof setTimeout> | undefined;

  constructor(
    private readonly root: HTMLElement,
    readonly element: HTMLElement,
    private readonly store: Store,
    private readonly theme: Signal<Theme>,
    private readonly tool: Signal<Tool>,
    /** Radius of the brush in pixels. */
    readonly brush: Signal<number>,
    private readonly marked: ReadonlySignal<Uint32Array | null>,
    private readonly questions: Questions,
    private readonly select: SelectByHand,
    private readonly cards: OpenCards,
    private readonly why: Why,
    private readonly compare: Compare,
    private readonly groups: ReadonlySignal<GroupColors | null>,
  ) {
    this.shot = signal(this.camera);
    this.target = this.gestureTarget();
    this.tags = new NameTags(store, () => !compare.ground.peek());
    this.reasons = new WhyDrawing(root, store, why);
    this.shown = new ShownPositions(store);
    // The pixel position of a point on the map, for tests and tools.
    Object.assign(element, { nbembedWhere: (i: number) => this.where(i), nbembedNames: () => this.tags.shown });
    this.stage = new Stage(element, store.traits.n_samples.peek(), {
      draw: () => this.draw(performance.now()),
      redraw: () => this.redraw(),
      replaced: (renderer) => {
        root.dataset.renderer = renderer.kind;
        this.stale = { styles: true, layout: true, blend: true };
      },
    });
    root.dataset.renderer = this.stage.renderer.kind;
    this.follow();
    const sight = new IntersectionObserver((entries) =>
      store.setVisible(this, entries[entries.length - 1].isIntersecting));
    sight.observe(element);
    this.gestures = attachGestures(element, this.target);
    this.off.push(
      () => sight.disconnect(),
      () => store.setVisible(this, null),
      () => store.needPrecision(this, false),
      () => this.gestures.detach(),
    );
    this.stage.measure();
  }

  destroy(): void {
    for (const off of this.off) off();
    cancelAnimationFrame(this.request);
    clearTimeout(this.hintTimer);
    clearTimeout(this.tagTimer);
    this.stage.destroy();
  }

  /** Give up what is being drawn with a tool; returns whether anything was. */
  cancelDrawing(): boolean {
    return this.gestures.cancel() || this.cancelOther();
  }

  /** Show the whole map, and follow it again. */
  fitView(): void {
    this.manual.value = false;
    this.fit.aim(this.positions, true, this.beyond());
    this.redraw();
  }

  /** Move the view, if a point is outside it or at its edge. */
  bringIntoView(index: number): void {
    const [x, y] = this.where(index);
    const { width, height } = this.stage.size;
    const margin = Math.min(EDGE, width / 4, height / 4);
    if (Number.isFinite(x + y) && (x < margin || y < margin || x > width - margin || y > height - margin)) {
      if (this.manual.peek()) this.moveCamera(panBy(this.camera, width / 2 - x, height / 2 - y));
    }
    this.redraw();
  }

  zoomBy(factor: number): void {
    const [x, y] = this.cursor ? toScreen(this.camera, this.stage.size, ...this.cursor) : [this.stage.size.width / 2, this.stage.size.height / 2];
    this.zoomAt(x, y, factor);
  }

  /** Move the keyboard cursor by screen pixels; it starts in the middle of the view. */
  moveCursor(dx: number, dy: number): number {
    const { camera } = this;
    const { size } = this.stage;
    const from = this.cursor ? toScreen(camera, size, ...this.cursor) : [size.width / 2, size.height / 2];
    const x = Math.min(Math.max(from[0] + (this.cursor ? dx : 0), 6), size.width - 6);
    const y = Math.min(Math.max(from[1] + (this.cursor ? dy : 0), 6), size.height - 6);
    this.cursor = toData(camera, size, x, y);
    this.redraw();
    const point = this.cursorPoint();
    this.hoverOver(point);
    return point;
  }

  get cursorShown(): boolean {
    return this.cursor !== null;
  }

  hideCursor(): void {
    this.cursor = null;
    this.setHover(null);
    this.redraw();
  }

  /** The point nearest to the keyboard cursor, −1 if none is near. */
  cursorPoint(): number {
    return this.cursor ? nearest(this.pickable, ...this.cursor, (3 * REACH) / this.camera.scale) : -1;
  }

  /** The place of a point on the map, in pixels. */
  where(index: number): [number, number] {
    return toScreen(this.camera, this.stage.size, this.positions[2 * index], this.positions[2 * index + 1]);
  }

  /** Show the card of a point, or none: something else points at it. */
  hoverOver(index: number): void {
    const before = this.hover.peek();
    if (index < 0) this.setHover(null);
    else if (before?.index !== index) {
      const [x, y] = this.where(index);
      this.setHover({ index, x, y });
    }
  }

  /** A point was clicked, −1 for none. */
  clicked(index: number, how: Combine, touch: boolean): void {
    if (how === "replace" && this.tool.peek() === "pan") {
      if (index >= 0) this.cards.toggle(index);
      return;
    }
    this.select(index < 0 ? new Uint32Array(0) : Uint32Array.of(index), how, touch);
  }

  /** Where points can be picked: those of hidden classes nowhere. */
  private get pickable(): Float32Array {
    return this.shown.of(this.positions);
  }

  private get positions(): Float32Array {
    return this.transition.mixture ?? this.store.layout.peek().positions;
  }

  /** What must be in view beside the points. */
  private beyond(): { x: number; y: number }[] {
    return [...(this.compare.ground.peek() ? [] : this.store.centers.peek()), ...this.compare.corners.peek()];
  }

  /** Redraw when anything that is drawn changes. */
  private follow(): void {
    const { store } = this;
    let painted: Uint8Array | null = null;
    this.off.push(
      effect(() => {
        const layout = store.layout.value;
        this.stale.layout = true;
        if (layout.fresh || layout.membershipColors !== painted) this.stale.styles = true;
        painted = layout.membershipColors;
        this.fit.aim(this.compare.ground.peek() ?? layout.positions, layout.fresh, this.beyond());
        this.transition.aim(layout.positions, layout.fresh, performance.now());
        this.redraw();
      }),
      effect(() => {
        void [store.traits.label_codes.value, store.traits.label_confidence.value, store.traits.classes.value, store.traits.links.value];
        const { selection, color_column, color_values, color_by } = store.traits;
        if (this.why.measure.value) void this.why.shown.value;
        if (color_by.value === "suggestion") void [store.suggestions.value, this.questions.hidden.value];
        void [selection.value, color_column.value, color_values.value, color_by.value, this.theme.value];
        void this.groups.value;
        this.stale.styles = true;
        this.redraw();
      }),
      effect(() => {
        this.transition.blend(this.compare.ground.value, this.compare.places.value, this.compare.blended.value);
        this.stale.blend = true;
        this.redraw();
      }),
      effect(() => {
        void this.compare.tint.value;
        this.stale.styles = true;
        this.redraw();
      }),
      effect(() => {
        void this.compare.corners.value;
        this.fit.aim(this.compare.ground.peek() ?? store.layout.peek().positions, false, this.beyond());
        this.redraw();
      }),
      effect(() => {
        const { cannot_links, pinned, new_rows, directions, direction_colors, borders, names_shown, thumbnails_shown } = store.traits;
        void [names_shown.value, thumbnails_shown.value, store.cards.version, store.thumbnails.version, this.cards.boxes.value];
        this.reasons.watch();
        void [cannot_links.value, pinned.value, new_rows.value, directions.value, direction_colors.value, borders.value, store.centers.value, this.marked.value, this.questions.point.value];
        this.redraw();
      }),
    );
  }

  private redraw(): void {
    if (!this.request) this.request = requestAnimationFrame((time) => this.draw(time));
  }

  private draw(time: number): void {
    this.request = 0;
    const seconds = Math.min(0.1, Math.max(0.001, (time - this.lastTime) / 1000));
    this.lastTime = time;
    if ((window.devicePixelRatio || 1) !== this.stage.ratio) this.stage.measure();
    const began = performance.now();
    const { store } = this;
    const { renderer } = this.stage;
    const layout = store.layout.peek();
    const moving = !this.manual.peek() && this.fit.step(seconds);
    if (!this.manual.peek()) {
      const camera = this.fit.camera(this.stage.size);
      if (camera) {
        this.camera = camera;
        this.home = camera.scale;
      }
    }
    const theme = this.theme.peek();
    if (this.stale.layout && layout.positions.length) {
      const found = crowding(layout.positions);
      if (layout.fresh || differs(found, this.crowding)) [this.crowding, this.stale.styles] = [found, true];
    }
    if (this.stale.styles) {
      const styles = pointStyles({
        size: layout.positions.length >> 1,
        colorBy: store.traits.color_by.peek(),
        column: store.traits.color_column.peek(),
        values: store.traits.color_values.peek(),
        membershipColors: layout.membershipColors,
        measure: this.why.shown.peek(),
        suggestions: store.suggestions.peek(),
        groups: this.groups.peek(),
        hidden: this.questions.hidden.peek(),
        labels: store.traits.label_codes.peek(),
        confidences: store.traits.label_confidence.peek(),
        classes: store.traits.classes.peek(),
        links: store.traits.links.peek(),
        selection: store.traits.selection.peek(),
        theme,
        crowding: this.crowding,
      });
      this.plain.value = styles;
      this.styles.value = tinted(styles, this.compare.tint.peek(), theme.dark);
      renderer.setStyles(this.styles.value);
    }
    const inTransition = this.transition.moving;
    const positions = this.transition.positions(began);
    if (this.stale.layout || this.stale.blend || inTransition) renderer.setPositions(positions);
    renderer.setThemeColors({ background: theme.background, accent: theme.accent });
    renderer.draw(this.camera);
    // Half a step of quantized positions may be half a pixel of the screen, not more.
    if (layout.step > 0) this.step = layout.step;
    store.needPrecision(this, this.step * this.camera.scale * this.stage.ratio > 1);
    this.moveHover();
    this.drawOverlay(positions);
    if (this.stale.layout) this.reportDrawn(began);
    this.stale = { styles: false, layout: false, blend: false };
    this.shot.value = this.camera;
    this.empty.value = this.manual.peek() && positions.length > 0 && !showsAny(this.camera, this.stage.size, this.pickable);
    if (moving || this.transition.moving) this.redraw();
  }

  private drawOverlay(positions: Float32Array): void {
    const context = this.stage.overlay.getContext("2d");
    if (!context) return;
    const chosen = [...this.cards.boxes.peek().map(({ point }) => point), ...this.store.traits.selection.peek().slice(0, MOST_FIRST)];
    const wait = this.tags.update(context, this.camera, this.stage.size, positions, chosen);
    clearTimeout(this.tagTimer);
    if (wait) this.tagTimer = setTimeout(() => this.redraw(), wait);
    drawOverlay(context, this.stage.ratio, this.overlayState(positions));
  }

  private overlayState(positions: Float32Array): OverlayState {
    const { store } = this;
    // What belongs to the present layout alone is not drawn over a snapshot.
    const present = !this.compare.ground.peek();
    return {
      camera: this.camera,
      size: this.stage.size,
      theme: this.theme.peek(),
      positions,
      links: store.traits.links.peek(),
      cannotLinks: store.traits.cannot_links.peek(),
      pinned: store.traits.pinned.peek(),
      newRows: store.traits.new_rows.peek(),
      centers: present ? store.centers.peek() : [],
      marked: this.marked.peek(),
      labels: store.traits.label_codes.peek(),
      classes: store.traits.classes.peek(),
      directions: present ? store.traits.directions.peek() : [],
      borders: present ? store.traits.borders.peek() : [],
      directionColors: store.traits.direction_colors.peek(),
      lasso: this.drawing && { ...this.drawing, radius: this.drawing.tool === "brush" ? this.brush.peek() : 0 },
      hover: this.hover.peek()?.index ?? -1,
      asked: this.questions.point.peek(),
      cursor: this.cursor,
      cursorPoint: this.cursorPoint(),
      cards: this.cards.boxes.peek(),
      tags: this.tags,
      reasons: this.reasons,
    };
  }

  /** What a picture of the map is drawn from: as it is seen, without what follows the pointer. */
  scene(): Scene {
    const { camera } = this;
    const { size, ratio, renderer } = this.stage;
    const styles = this.styles.peek();
    const positions = this.transition.positions(performance.now());
    if (!styles || !positions.length) throw new Error(strings.thereIsNoMapYet);
    const state = { ...this.overlayState(positions), hover: -1, asked: -1, cursor: null, cursorPoint: -1, lasso: null, cards: [] };
    return {
      camera,
      size,
      theme: state.theme,
      positions,
      styles,
      points: (scale) => {
        const copy = document.createElement("canvas");
        renderer.resize(size.width, size.height, scale);
        renderer.draw(camera);
        copy.width = renderer.canvas.width;
        copy.height = renderer.canvas.height;
        copy.getContext("2d")?.drawImage(renderer.canvas, 0, 0);
        renderer.resize(size.width, size.height, ratio);
        renderer.draw(camera);
        return copy;
      },
      over: (context, scale) => drawOverlay(context, scale, state),
    };
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

  /** Zoom around a place on the screen, as far as the limits let it: beyond them the view stays where it is. */
  private zoomAt(x: number, y: number, factor: number): void {
    const scale = Math.min(Math.max(this.camera.scale * factor, this.home / 20), this.home * 400);
    this.moveCamera(zoomAt(this.camera, this.stage.size, x, y, scale / this.camera.scale));
  }

  private moveCamera(camera: Camera): void {
    this.camera = { ...camera, markerScale: Math.min(2.2, Math.max(0.7, (camera.scale / this.home) ** 0.3)) };
    this.manual.value = true;
    this.redraw();
  }

  private gestureTarget(): GestureTarget {
    return {
      tool: () => this.tool.peek(),
      wheelAllowed: (event) => event.ctrlKey || focusIsIn(this.root),
      wheelRefused: () => {
        this.hint.value = strings.clickMapToZoom;
        clearTimeout(this.hintTimer);
        this.hintTimer = setTimeout(() => (this.hint.value = ""), 1400);
      },
      pan: (dx, dy) => this.moveCamera(panBy(this.camera, dx, dy)),
      zoom: (x, y, factor) => this.zoomAt(x, y, factor),
      hover: (x, y) => this.point(x, y),
      leave: () => this.setHover(null),
      click: (x, y, how, touch) => this.clicked(this.at(x, y, touch ? FINGER : REACH), how, touch),
      held: (tool) => {
        clearTimeout(this.hintTimer);
        this.hint.value = tool === "" ? "" : tool === "pan" ? strings.touchLiftToSelect : strings.touchDrawToAdd;
      },
      drawing: (path, tool, mode) => {
        this.drawing = { path, tool, mode };
        this.redraw();
      },
      drawn: (path, tool, mode, touch) => {
        this.drawing = null;
        const places: number[] = [];
        for (let i = 0; i < path.length; i += 2) places.push(...toData(this.camera, this.stage.size, path[i], path[i + 1]));
        const positions = this.pickable;
        const found = tool === "brush" ? nearPath(positions, places, this.brush.peek() / this.camera.scale) : insidePolygon(positions, places);
        this.select(found, mode, touch, tool);
        this.redraw();
      },
      drawingCanceled: () => {
        this.drawing = null;
        this.redraw();
      },
    };
  }

  private at(x: number, y: number, reach = REACH): number {
    return nearest(this.pickable, ...toData(this.camera, this.stage.size, x, y), reach / this.camera.scale);
  }

  private point(x: number, y: number): void {
    this.hoverOver(this.at(x, y));
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
