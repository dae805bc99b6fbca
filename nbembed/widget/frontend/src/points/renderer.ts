/** The choice of the point renderer. */
import { MANY, RasterRenderer } from "./raster";
import type { PointRenderer } from "./types";
import { WebGLRenderer } from "./webgl";

const ATTRIBUTES: WebGLContextAttributes = { alpha: true, antialias: false, depth: false, premultipliedAlpha: true };

/** For tests and for troubleshooting: `<html data-nbembed-renderer="webgl">` or `"raster"`. */
function forced(): string | undefined {
  return document.documentElement.dataset["nbembedRenderer"];
}

/** Whether WebGL is emulated in software, as in virtual machines. */
function emulated(gl: WebGL2RenderingContext): boolean {
  const info = gl.getExtension("WEBGL_debug_renderer_info");
  const name = String(gl.getParameter(info ? info.UNMASKED_RENDERER_WEBGL : gl.RENDERER));
  return /swiftshader|llvmpipe|softpipe|software|basic render/i.test(name);
}

/**
 * WebGL where a GPU draws, else the raster renderer, which is several times faster than WebGL in
 * software. More than MANY points are drawn by the raster renderer everywhere, because only it shows
 * how dense they are, with a few additions for each point. `onLoss` is called when a WebGL context is
 * lost for good and another renderer is needed, `onRestore` when a restored context must be drawn to.
 */
export function createRenderer(
  size: number,
  canvas: () => HTMLCanvasElement,
  onLoss: () => void,
  onRestore: () => void,
  allowWebGL = true,
): PointRenderer {
  const few = size <= MANY || forced() === "webgl";
  if (allowWebGL && few && forced() !== "raster") {
    const element = canvas();
    const gl = element.getContext("webgl2", { ...ATTRIBUTES, failIfMajorPerformanceCaveat: forced() !== "webgl" });
    if (gl && forced() !== "webgl" && emulated(gl)) {
      gl.getExtension("WEBGL_lose_context")?.loseContext();
    } else if (gl) {
      try {
        return new WebGLRenderer(element, gl, onLoss, onRestore);
      } catch (error) {
        console.warn("nbembed: WebGL failed, drawing without it.", error);
      }
    }
  }
  return new RasterRenderer(canvas());
}
