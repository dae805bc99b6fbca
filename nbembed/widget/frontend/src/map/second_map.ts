/**
 * The other map of a comparison, beside the first: the same points in the same colors under the same
 * camera. Hover, cards, selection, pan and zoom are those of the first map, and names are placed by the
 * same rules where there is room here.
 */
import { effect, type Signal } from "@preact/signals";
import type { Compare } from "../state/compare";
import type { Store } from "../state/store";
import { rgba, type Theme } from "../host/theme";
import { toData, toScreen, type Camera } from "../state/camera";
import { attachGestures, type GestureTarget, type Tool } from "./gestures";
import { FINGER, MOST_FIRST, REACH, type PointMap, type SelectByHand } from "./map";
import { NameTags } from "./name_tags";
import { insidePolygon, nearest, nearPath } from "../state/pick";
import { ShownPositions } from "../state/shown_positions";
import { Stage } from "./stage";
import { Glide } from "./transition";

/** Milliseconds in which points move to new places: as long as a live map takes to send the next. */
const GLIDE = 140;

export class SecondMap {
  private readonly stage: Stage;
  private readonly glide = new Glide();
  private request = 0;
  private stale = { styles: true, places: true };
  private drawing: { path: number[]; tool: Tool } | null = null;
  private readonly shown: ShownPositions;
  private readonly tags: NameTags;
  private tagTimer: ReturnType<typeof setTimeout> | undefined;
  private readonly off: (() => void)[];

  constructor(
    element: HTMLElement,
    private readonly first: PointMap,
    private readonly store: Store,
    private readonly theme: Signal<Theme>,
    private readonly compare: Compare,
    private readonly select: SelectByHand,
  ) {
    // The pixel position of a point on the map, for tests and tools.
    Object.assign(element, { nbembedWhere: (i: number) => this.where(i), nbembedNames: () => this.tags.shown });
    this.tags = new NameTags(store, () => false);
    this.stage = new Stage(element, store.traits.n_samples.peek(), {
      draw: () => this.draw(),
      redraw: () => this.redraw(),
      replaced: () => (this.stale = { styles: true, places: true }),
    });
    this.shown = new ShownPositions(store);
    const gestures = attachGestures(element, this.gestures());
    first.cancelOther = gestures.cancel;
    this.off = [
      gestures.detach,
      () => (first.cancelOther = () => false),
      effect(() => {
        const places = compare.places.value;
        this.glide.aim(places ?? new Float32Array(0), GLIDE, performance.now());
        this.stale.places = true;
        this.redraw();
      }),
      effect(() => {
        void first.styles.value;
        this.stale.styles = true;
        this.redraw();
      }),
      effect(() => {
        void [first.shot.value, first.hover.value, theme.value];
        this.redraw();
      }),
      effect(() => {
        const { names_shown, thumbnails_shown, classes, label_codes, color_by, color_column, color_values, selection, cards } = store.traits;
        void [names_shown.value, thumbnails_shown.value, classes.value, label_codes.value, color_by.value, color_column.value, color_values.value];
        void [selection.value, cards.value, store.cards.version, store.thumbnails.version];
        this.redraw();
      }),
    ];
    this.stage.measure();
  }

  destroy(): void {
    for (const off of this.off) off();
    cancelAnimationFrame(this.request);
    clearTimeout(this.tagTimer);
    this.stage.destroy();
  }

  private get places(): Float32Array {
    return this.compare.places.peek() ?? new Float32Array(0);
  }

  /** Where points can be picked. */
  private get pickable(): Float32Array {
    return this.shown.of(this.places);
  }

  private get camera(): Camera {
    return this.first.shot.peek();
  }

  private where(index: number): [number, number] {
    return toScreen(this.camera, this.stage.size, this.places[2 * index], this.places[2 * index + 1]);
  }

  private redraw(): void {
    if (!this.request) this.request = requestAnimationFrame(() => this.draw());
  }

  private draw(): void {
    this.request = 0;
    const { renderer } = this.stage;
    const styles = this.first.styles.peek();
    if (!styles) return;
    if ((window.devicePixelRatio || 1) !== this.stage.ratio) this.stage.measure();
    const { background, accent } = this.theme.peek();
    if (this.stale.styles) renderer.setStyles(styles);
    const moves = this.glide.moving;
    const places = this.glide.positions(performance.now());
    if (this.stale.places || moves) renderer.setPositions(places);
    renderer.setThemeColors({ background, accent });
    renderer.draw(this.camera);
    this.drawOverlay(places);
    this.stale = { styles: false, places: false };
    if (this.glide.moving) this.redraw();
  }

  /** Names, the point under the pointer, wherever the pointer is, and the lasso. */
  private drawOverlay(places: Float32Array): void {
    const context = this.stage.overlay.getContext("2d");
    if (!context) return;
    const { size, ratio } = this.stage;
    const { accent, background, foreground } = this.theme.peek();
    this.placeNames(context, places);
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.clearRect(0, 0, size.width, size.height);
    context.lineJoin = "round";
    this.tags.draw(context, this.camera, size, places, this.theme.peek());
    const hover = this.first.hover.peek()?.index ?? -1;
    if (hover >= 0 && 2 * hover + 1 < places.length) {
      const [x, y] = toScreen(this.camera, size, places[2 * hover], places[2 * hover + 1]);
      for (const [width, color] of [[4, rgba(background, 0.9)], [2, rgba(foreground, 1)]] as const) {
        context.lineWidth = width;
        context.strokeStyle = color;
        context.beginPath();
        context.arc(x, y, 8, 0, 2 * Math.PI);
        context.stroke();
      }
    }
    if (this.drawing && this.drawing.path.length >= 4) {
      const { path, tool } = this.drawing;
      context.beginPath();
      for (let i = 0; i < path.length; i += 2) context.lineTo(path[i], path[i + 1]);
      if (tool === "brush") {
        context.lineCap = context.lineJoin = "round";
        context.lineWidth = 2 * this.first.brush.peek();
        context.strokeStyle = rgba(accent, 0.25);
      } else {
        context.closePath();
        context.fillStyle = rgba(accent, 0.1);
        context.fill();
        context.strokeStyle = rgba(accent, 0.95);
        context.lineWidth = 1.5;
      }
      context.stroke();
    }
  }

  private placeNames(context: CanvasRenderingContext2D, places: Float32Array): void {
    const { cards, selection } = this.store.traits;
    const wait = this.tags.update(context, this.camera, this.stage.size, places, [...cards.peek(), ...selection.peek().slice(0, MOST_FIRST)]);
    clearTimeout(this.tagTimer);
    if (wait) this.tagTimer = setTimeout(() => this.redraw(), wait);
  }

  private gestures(): GestureTarget {
    return {
      ...this.first.target,
      hover: (x, y) => this.first.hoverOver(this.at(x, y)),
      click: (x, y, how, touch) => this.first.clicked(this.at(x, y, touch ? FINGER : REACH), how, touch),
      drawing: (path, tool) => this.showDrawing({ path, tool }),
      drawn: (path, tool, how, touch) => {
        this.showDrawing(null);
        const places: number[] = [];
        for (let i = 0; i < path.length; i += 2) places.push(...toData(this.camera, this.stage.size, path[i], path[i + 1]));
        const found = tool === "brush" ? nearPath(this.pickable, places, this.first.brush.peek() / this.camera.scale) : insidePolygon(this.pickable, places);
        this.select(found, how, touch, tool);
      },
      drawingCanceled: () => this.showDrawing(null),
    };
  }

  private showDrawing(drawing: { path: number[]; tool: Tool } | null): void {
    this.drawing = drawing;
    this.redraw();
  }

  private at(x: number, y: number, reach = REACH): number {
    return nearest(this.pickable, ...toData(this.camera, this.stage.size, x, y), reach / this.camera.scale);
  }
}
