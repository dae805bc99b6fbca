/**
 * What a map is drawn on: one canvas of points below one for the rest, both as large as the element. A
 * renderer that loses its context is replaced by one that needs none.
 */
import { createRenderer } from "../points/renderer";
import type { PointRenderer } from "../points/types";
import type { Size } from "../state/camera";

export class Stage {
  readonly overlay: HTMLCanvasElement;
  renderer: PointRenderer;
  size: Size = { width: 1, height: 1 };
  /** Pixels of the canvases for each of the page's. */
  ratio = 1;
  private readonly box: HTMLDivElement;
  private readonly observer: ResizeObserver;

  constructor(
    private readonly element: HTMLElement,
    /** Number of points. */
    private readonly count: number,
    private readonly host: {
      draw: () => void;
      /** Draw soon. */
      redraw: () => void;
      /** There is another renderer, which knows nothing yet. */
      replaced: (renderer: PointRenderer) => void;
    },
  ) {
    this.box = document.createElement("div");
    this.box.className = "nbe-stage";
    element.prepend(this.box);
    this.renderer = this.makeRenderer(true);
    this.overlay = this.canvas("nbe-overlay");
    // Canvases of another size are empty: they are drawn before the page is.
    this.observer = new ResizeObserver(() => {
      this.measure();
      host.draw();
    });
    this.observer.observe(element);
  }

  destroy(): void {
    this.observer.disconnect();
    this.renderer.destroy();
    this.box.remove();
  }

  /** Take over the size of the element and the resolution of the screen. */
  measure(): void {
    const ratio = Math.min(window.devicePixelRatio || 1, 3);
    const size = { width: this.element.clientWidth, height: this.element.clientHeight };
    if (!size.width || !size.height) return;
    if (size.width === this.size.width && size.height === this.size.height && ratio === this.ratio) return;
    this.size = size;
    this.ratio = ratio;
    this.renderer.resize(size.width, size.height, ratio);
    this.overlay.width = Math.round(size.width * ratio);
    this.overlay.height = Math.round(size.height * ratio);
    this.host.redraw();
  }

  private makeRenderer(allowWebGL: boolean): PointRenderer {
    const lost = (): void => {
      this.renderer.destroy();
      this.renderer = this.makeRenderer(false);
      this.renderer.resize(this.size.width, this.size.height, this.ratio);
      this.host.replaced(this.renderer);
      this.host.redraw();
    };
    return createRenderer(this.count, () => this.canvas("nbe-points"), lost, () => this.host.redraw(), allowWebGL);
  }

  private canvas(name: string): HTMLCanvasElement {
    const canvas = document.createElement("canvas");
    canvas.className = name;
    canvas.setAttribute("aria-hidden", "true");
    if (name === "nbe-points") {
      // At most one canvas of points, below the overlay; a canvas that was refused a context is useless.
      this.box.querySelectorAll(".nbe-points").forEach((old) => old.remove());
      this.box.prepend(canvas);
    } else {
      this.box.append(canvas);
    }
    return canvas;
  }
}
