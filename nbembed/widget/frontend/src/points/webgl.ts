/**
 * Points with WebGL 2: positions in one buffer that is rewritten every frame, styles in two others
 * that change only when something is labeled, selected or recolored. Survives the loss of its context.
 */
import type { Camera } from "../state/camera";
import { FLAG, kept, OUTLINE, RIM, STEPS, type ThemeColors, type PointStyles, type PointRenderer } from "./types";
import { SHAPES_GLSL } from "./shapes";

const VERTEX = /* glsl */ `#version 300 es
layout(location = 0) in vec2 position;
layout(location = 1) in vec4 color;
layout(location = 2) in uvec4 mark;
uniform vec2 center;
uniform vec2 scale;
uniform float ratio;
uniform float markerScale;
flat out vec4 fill;
flat out ivec2 kind;
flat out vec3 radius;
void main() {
  gl_Position = vec4((position - center) * scale, 0.0, 1.0);
  float r = float(mark.y) * 0.125 * ratio * markerScale;
  int flags = int(mark.z);
  bool marked = flags != 0;
  float rim = (flags & ${FLAG.selected | FLAG.linked}) != 0 ? 3.4 * ratio : 1.5 * ratio;
  radius = vec3(r, marked ? r * 1.12 + rim : r + 0.75, float(mark.w) / 255.0);
  gl_PointSize = 2.0 * radius.y;
  fill = color;
  kind = ivec2(int(mark.x), flags);
}`;

const FRAGMENT = /* glsl */ `#version 300 es
precision highp float;
flat in vec4 fill;
flat in ivec2 kind;
flat in vec3 radius;
uniform float ratio;
uniform vec3 background;
uniform vec3 accent;
uniform int step; // of STEPS, or all of them where it is negative
out vec4 outcome;
${SHAPES_GLSL}
vec4 over(vec4 below, vec3 color, float alpha) {
  return vec4(color * alpha, alpha) + below * (1.0 - alpha);
}
void main() {
  vec2 p = (gl_PointCoord - 0.5) * vec2(2.0, -2.0) * radius.y;
  if (kind == ivec2(0)) {
    float alpha = clamp(radius.x + 0.5 - length(p), 0.0, 1.0) * fill.a;
    if (alpha <= 0.0) discard;
    outcome = vec4(fill.rgb * alpha, alpha);
    return;
  }
  float d = shape(kind.x, p / radius.x) * radius.x;
  bool outlined = (kind.y & ${FLAG.outlined}) != 0;
  vec4 c = vec4(0.0);
  bool selected = (kind.y & ${FLAG.selected}) != 0;
  if ((kind.y & ${FLAG.linked}) != 0 && step <= 0) {
    float ring = abs(length(p) - radius.x - 2.4 * ratio) - 0.6 * ratio;
    c = over(c, fill.rgb, clamp(0.5 - ring, 0.0, 1.0) * 0.8);
  }
  float line = clamp(${OUTLINE.share} * radius.x, ${OUTLINE.least} * ratio, ${OUTLINE.most} * ratio);
  if (selected && step <= 0) c = over(c, background, clamp(0.5 - (d - line - ${OUTLINE.halo} * ratio), 0.0, 1.0) * fill.a);
  if (selected && (step < 0 || step == 1)) c = over(c, accent, clamp(0.5 - (d - line), 0.0, 1.0) * fill.a);
  float inside = clamp(0.5 - d, 0.0, 1.0);
  if (step == 0 || step == 1) inside = 0.0;
  if (outlined) {
    float rim = min(${RIM.width.toFixed(2)} * ratio, ${RIM.share} * radius.x);
    float core = clamp(0.5 - (d + rim), 0.0, 1.0);
    vec3 body = mix(mix(fill.rgb, accent, selected ? 0.0 : ${RIM.accent}), mix(background, fill.rgb, radius.z), core);
    c = over(c, body, inside * fill.a);
  } else {
    c = over(c, fill.rgb, inside * fill.a);
  }
  if (c.a <= 0.004) discard;
  outcome = c;
}`;

/** A triangle that covers the view, and draws nothing itself: blending takes from what is there. */
const VEIL = [
  `#version 300 es
void main() {
  gl_Position = vec4(vec2(gl_VertexID == 1, gl_VertexID == 2) * 4.0 - 1.0, 0.0, 1.0);
}`,
  `#version 300 es
precision highp float;
out vec4 outcome;
void main() {
  outcome = vec4(0.0);
}`,
] as const;

/** Milliseconds until another renderer replaces a lost context. */
const RECOVERY = 3000;

export class WebGLRenderer implements PointRenderer {
  readonly kind = "webgl";
  private uniforms!: Record<"center" | "scale" | "ratio" | "markerScale" | "background" | "accent" | "step", WebGLUniformLocation | null>;
  private programs!: Record<"points" | "veil", WebGLProgram>;
  private buffers!: { positions: WebGLBuffer; colors: WebGLBuffer; marks: WebGLBuffer; order: WebGLBuffer };
  private width = 1;
  private height = 1;
  private ratio = 1;
  private positions: Float32Array = new Float32Array(0);
  private styles: PointStyles | null = null;
  private ink: ThemeColors = { background: [255, 255, 255], accent: [0, 0, 0] };
  private stale = { positions: true, styles: true };
  private lost = false;
  private recovery: ReturnType<typeof setTimeout> | undefined;

  constructor(
    readonly canvas: HTMLCanvasElement,
    private readonly gl: WebGL2RenderingContext,
    private readonly onLoss: () => void,
    private readonly onRestore: () => void,
  ) {
    this.build();
    canvas.addEventListener("webglcontextlost", this.onContextLost);
    canvas.addEventListener("webglcontextrestored", this.onContextRestored);
  }

  resize(width: number, height: number, ratio: number): void {
    this.width = width;
    this.height = height;
    this.ratio = ratio;
    this.canvas.width = Math.max(1, Math.round(width * ratio));
    this.canvas.height = Math.max(1, Math.round(height * ratio));
  }

  setPositions(positions: Float32Array): void {
    this.positions = positions;
    this.stale.positions = true;
  }

  setStyles(styles: PointStyles): void {
    this.styles = styles;
    this.stale.styles = true;
  }

  setThemeColors(ink: ThemeColors): void {
    this.ink = ink;
  }

  draw(camera: Camera): void {
    const { gl, styles } = this;
    if (this.lost || !styles) return;
    const count = Math.min(styles.order.length, this.positions.length / 2);
    gl.viewport(0, 0, this.canvas.width, this.canvas.height);
    gl.clearColor(0, 0, 0, 0);
    gl.clear(gl.COLOR_BUFFER_BIT);
    this.upload();
    gl.uniform2f(this.uniforms.center, camera.x, camera.y);
    gl.uniform2f(this.uniforms.scale, (2 * camera.scale) / this.width, (2 * camera.scale) / this.height);
    gl.uniform1f(this.uniforms.ratio, this.ratio);
    gl.uniform1f(this.uniforms.markerScale, camera.markerScale);
    gl.uniform3f(this.uniforms.background, ...unit(this.ink.background));
    gl.uniform3f(this.uniforms.accent, ...unit(this.ink.accent));
    const from = Math.min(styles.layers[2], count);
    const draw = (first: number, end: number, step: number): void => {
      if (end <= first) return;
      gl.uniform1i(this.uniforms.step, step);
      gl.drawElements(gl.POINTS, end - first, gl.UNSIGNED_INT, 4 * first);
    };
    const marked = Math.min(styles.layers[1], from);
    const [afterPlain, afterMarked] = kept(styles);
    if (afterPlain < 1) {
      draw(0, marked, -1);
      this.fade(afterPlain);
      draw(marked, from, -1);
      this.fade(afterMarked);
    } else draw(0, from, -1);
    STEPS.forEach((_, step) => draw(from, count, step));
  }

  /** Let the picture so far keep a share of its opacity. */
  private fade(share: number): void {
    const { gl } = this;
    if (share === 1) return;
    gl.useProgram(this.programs.veil);
    gl.blendColor(0, 0, 0, share);
    gl.blendFunc(gl.ZERO, gl.CONSTANT_ALPHA);
    gl.drawArrays(gl.TRIANGLES, 0, 3);
    gl.blendFunc(gl.ONE, gl.ONE_MINUS_SRC_ALPHA);
    gl.useProgram(this.programs.points);
  }

  destroy(): void {
    clearTimeout(this.recovery);
    this.canvas.removeEventListener("webglcontextlost", this.onContextLost);
    this.canvas.removeEventListener("webglcontextrestored", this.onContextRestored);
    this.gl.getExtension("WEBGL_lose_context")?.loseContext();
    this.canvas.remove();
  }

  private upload(): void {
    const { gl, buffers, styles } = this;
    if (this.stale.positions) {
      gl.bindBuffer(gl.ARRAY_BUFFER, buffers.positions);
      gl.bufferData(gl.ARRAY_BUFFER, this.positions, gl.DYNAMIC_DRAW);
    }
    if (this.stale.styles && styles) {
      gl.bindBuffer(gl.ARRAY_BUFFER, buffers.colors);
      gl.bufferData(gl.ARRAY_BUFFER, styles.colors, gl.DYNAMIC_DRAW);
      gl.bindBuffer(gl.ARRAY_BUFFER, buffers.marks);
      gl.bufferData(gl.ARRAY_BUFFER, styles.marks, gl.DYNAMIC_DRAW);
      gl.bufferData(gl.ELEMENT_ARRAY_BUFFER, styles.order, gl.DYNAMIC_DRAW);
    }
    this.stale = { positions: false, styles: false };
  }

  private build(): void {
    const { gl } = this;
    const points = link(gl, VERTEX, FRAGMENT);
    this.programs = { points, veil: link(gl, ...VEIL) };
    gl.useProgram(points);
    const at = (name: string) => gl.getUniformLocation(points, name);
    this.uniforms = {
      center: at("center"), scale: at("scale"), ratio: at("ratio"),
      markerScale: at("markerScale"), background: at("background"), accent: at("accent"), step: at("step"),
    };
    this.buffers = {
      positions: gl.createBuffer(), colors: gl.createBuffer(), marks: gl.createBuffer(), order: gl.createBuffer(),
    };
    gl.bindVertexArray(gl.createVertexArray());
    gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, this.buffers.order);
    gl.bindBuffer(gl.ARRAY_BUFFER, this.buffers.positions);
    gl.enableVertexAttribArray(0);
    gl.vertexAttribPointer(0, 2, gl.FLOAT, false, 0, 0);
    gl.bindBuffer(gl.ARRAY_BUFFER, this.buffers.colors);
    gl.enableVertexAttribArray(1);
    gl.vertexAttribPointer(1, 4, gl.UNSIGNED_BYTE, true, 0, 0);
    gl.bindBuffer(gl.ARRAY_BUFFER, this.buffers.marks);
    gl.enableVertexAttribArray(2);
    gl.vertexAttribIPointer(2, 4, gl.UNSIGNED_BYTE, 0, 0);
    gl.enable(gl.BLEND);
    gl.blendFunc(gl.ONE, gl.ONE_MINUS_SRC_ALPHA);
    this.stale = { positions: true, styles: true };
  }

  private readonly onContextLost = (event: Event): void => {
    event.preventDefault(); // asks the browser to restore the context
    this.lost = true;
    this.recovery = setTimeout(() => this.onLoss(), RECOVERY);
  };

  private readonly onContextRestored = (): void => {
    clearTimeout(this.recovery);
    this.lost = false;
    this.build();
    this.onRestore();
  };
}

function unit(color: [number, number, number]): [number, number, number] {
  return [color[0] / 255, color[1] / 255, color[2] / 255];
}

function link(gl: WebGL2RenderingContext, vertex: string, fragment: string): WebGLProgram {
  const program = gl.createProgram();
  for (const [type, source] of [[gl.VERTEX_SHADER, vertex], [gl.FRAGMENT_SHADER, fragment]] as const) {
    const shader = gl.createShader(type);
    if (!shader) throw new Error("no shader");
    gl.shaderSource(shader, source);
    gl.compileShader(shader);
    if (!gl.getShaderParameter(shader, gl.COMPILE_STATUS) && !gl.isContextLost()) {
      throw new Error(gl.getShaderInfoLog(shader) ?? "shader");
    }
    gl.attachShader(program, shader);
    gl.deleteShader(shader);
  }
  gl.linkProgram(program);
  if (!gl.getProgramParameter(program, gl.LINK_STATUS) && !gl.isContextLost()) {
    throw new Error(gl.getProgramInfoLog(program) ?? "link");
  }
  return program;
}
