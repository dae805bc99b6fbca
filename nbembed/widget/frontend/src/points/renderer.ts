/** The choice between the two ways of drawing points. */
import { RasterRenderer } from "./raster";
import type { PointRenderer } from "./types";
import { WebGLRenderer } from "./webgl";

/**
 * WebGL where there is one, else pixels drawn by hand. `onLoss` is called when a WebGL context
 * is gone for good and another renderer is needed, `onRestore` when a draw is needed after it came back.
 */
export function createRenderer(
  canvas: () => HTMLCanvasElement,
  onLoss: () => void,
  onRestore: () => void,
  allowWebGL = true,
): PointRenderer {
  if (allowWebGL) {
    const element = canvas();
    const gl = element.getContext("webgl2", { alpha: true, antialias: false, depth: false, premultipliedAlpha: true });
    if (gl) {
      try {
        return new WebGLRenderer(element, gl, onLoss, onRestore);
      } catch (error) {
        console.warn("nbembed: WebGL failed, drawing without it.", error);
      }
    }
  }
  return new RasterRenderer(canvas());
}
