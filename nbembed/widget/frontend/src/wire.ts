/**
 * What crosses the wire between the kernel and this page: the synced traits, the custom
 * messages, and how their buffers become typed arrays. The Python side is `protocol.py`.
 */
import type { AnyModel } from "@anywidget/types";

export type RunState = "idle" | "running" | "paused" | "converged" | "failed";
export type ColorMode = "column" | "class" | "probability";

export interface ClassInfo {
  name: string;
  color: string;
  symbol: string;
}

export interface Control {
  name: string;
  symbol: string;
  low: number;
  high: number;
  scale: "linear" | "log";
  step: number;
  enabled: boolean;
  description: string;
}

export interface PathStep {
  lam: number;
  criterion: number | null;
}

export interface ColorColumn {
  kind: "none" | "category" | "number";
  title: string;
  /** f32, one value a sample: a category's index (−1: missing) or a number (NaN: missing). */
  values: DataView | null;
  names: string[];
  colors: string[];
}

/** Methods of a kind, as the chooser groups them. */
export interface MethodGroup {
  title: string;
  names: string[];
}

/** Traits: what survives a reload. The page reads them and never writes them. */
export interface Traits {
  n_samples: number;
  height: number;
  coordinates: DataView;
  probability_colors: DataView;
  directions: [number, number][];
  /** Of each direction's class, also of those that nobody has named yet. */
  direction_colors: string[];
  /** Landmarks that a method places along with the points, with names and colors. */
  centers: [number, number][];
  center_names: string[];
  center_colors: string[];
  label_codes: DataView;
  label_confidence: DataView;
  classes: ClassInfo[];
  links: number[][];
  /** Pairs of sides. */
  cannot_links: number[][][];
  /** u32. */
  pinned: DataView;
  color_column: ColorColumn;
  color_by: ColorMode;
  selection: DataView;
  method: string;
  methods: string[];
  method_groups: MethodGroup[];
  controls: Control[];
  parameters: Record<string, number | null>;
  state: RunState;
  iteration: number;
  cost: number | null;
  quality: number | null;
  error: string;
  /** What is being learned from labels in the background, "" if nothing. */
  learning: string;
  /** Why the labels said last cannot be learned from. */
  unlearned: string;
  /** What a person should do for the method to learn anything. */
  wanted: string;
  undo: string;
  redo: string;
  history: DataView;
  path: PathStep[];
  chosen_path: number;
}

export type Model = AnyModel<Traits & Record<string, unknown>>;

export interface FrameMessage {
  type: "frame";
  seq: number;
  version: number;
  iteration: number;
  cost: number | null;
  quality: number | null;
  state: RunState;
  /** For each page its newest request whose effect this layout shows. */
  applied: Record<string, number>;
  /** Kernel clock, seconds. */
  t: number;
  directions?: [number, number][];
  direction_colors?: string[];
  centers?: [number, number][];
  center_names?: string[];
  center_colors?: string[];
  parameters?: Record<string, number | null>;
}

export interface ReplyMessage {
  type: "reply";
  request: number;
  client: string;
  ok: boolean;
  error: string | null;
}

export type KernelMessage = FrameMessage | ReplyMessage;

/** Bytes of a trait or buffer as an aligned typed array; empty where there is none. */
type Bytes = DataView | ArrayBuffer | null | undefined;

function aligned(bytes: Bytes, width: number): { buffer: ArrayBufferLike; offset: number; length: number } {
  if (!bytes) return { buffer: new ArrayBuffer(0), offset: 0, length: 0 };
  if (bytes instanceof ArrayBuffer) return { buffer: bytes, offset: 0, length: Math.floor(bytes.byteLength / width) };
  const { buffer, byteOffset, byteLength } = bytes;
  const length = Math.floor(byteLength / width);
  // A view into a larger message need not start at a multiple of the item's width.
  if (byteOffset % width === 0) return { buffer, offset: byteOffset, length };
  return { buffer: buffer.slice(byteOffset, byteOffset + length * width), offset: 0, length };
}

export function floats(bytes: Bytes): Float32Array {
  const { buffer, offset, length } = aligned(bytes, 4);
  return new Float32Array(buffer, offset, length);
}

export function int16s(bytes: Bytes): Int16Array {
  const { buffer, offset, length } = aligned(bytes, 2);
  return new Int16Array(buffer, offset, length);
}

export function uint32s(bytes: Bytes): Uint32Array {
  const { buffer, offset, length } = aligned(bytes, 4);
  return new Uint32Array(buffer, offset, length);
}

export function octets(bytes: Bytes): Uint8Array {
  const { buffer, offset, length } = aligned(bytes, 1);
  return new Uint8Array(buffer, offset, length);
}
