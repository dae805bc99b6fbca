/**
 * The wire as this page uses it: the model that anywidget hands over, and the decoding of bytes into
 * typed arrays. The traits, messages and commands themselves are in `wire.generated.ts`.
 */
import type { AnyModel } from "@anywidget/types";
import { TRAIT_FORMS, type Traits } from "./wire.generated";

export type TraitName = keyof Traits;
export const TRAIT_NAMES = Object.keys(TRAIT_FORMS) as TraitName[];

export type Model = AnyModel<Record<string, unknown>>;

/** The bytes of a trait or buffer. */
type Bytes = DataView | ArrayBuffer | null | undefined;

const ARRAYS = { Float32Array, Int32Array, Uint32Array, Uint16Array, Uint8Array };
type Arrays = { [K in keyof typeof ARRAYS]: InstanceType<(typeof ARRAYS)[K]> };

/** Bytes as a typed array; empty where there are none. */
export function typedArray<K extends keyof Arrays>(form: K, bytes: Bytes): Arrays[K] {
  const Type = ARRAYS[form] as unknown as {
    BYTES_PER_ELEMENT: number;
    new (buffer?: ArrayBufferLike, offset?: number, length?: number): Arrays[K];
  };
  if (!bytes) return new Type();
  const width = Type.BYTES_PER_ELEMENT;
  const length = Math.floor(bytes.byteLength / width);
  if (bytes instanceof ArrayBuffer) return new Type(bytes, 0, length);
  const { buffer, byteOffset } = bytes;
  // A view into a larger message need not start at a multiple of the item's width.
  if (byteOffset % width === 0) return new Type(buffer, byteOffset, length);
  return new Type(buffer.slice(byteOffset, byteOffset + length * width), 0, length);
}

/** The value of a trait as the page reads it. */
export function readTrait<K extends TraitName>(model: Model, name: K): Traits[K] {
  const form = TRAIT_FORMS[name];
  const value = model.get(name);
  return (form === "json" ? value : typedArray(form, value as Bytes)) as Traits[K];
}

/** Coordinates of a frame: float32, or 16-bit steps of a range (left, bottom, right, top). */
export function positionsOf(bytes: DataView | undefined, range?: readonly number[]): Float32Array {
  if (!range) return typedArray("Float32Array", bytes);
  const steps = typedArray("Uint16Array", bytes);
  const [left, bottom, right, top] = range;
  const dx = (right - left) / LARGEST;
  const dy = (top - bottom) / LARGEST;
  const positions = new Float32Array(steps.length);
  for (let i = 0; i + 1 < steps.length; i += 2) {
    positions[i] = left + dx * steps[i];
    positions[i + 1] = bottom + dy * steps[i + 1];
  }
  return positions;
}

/** The largest number of 16 bits. */
const LARGEST = 65535;

/** The larger step of a range: positions are off by at most half of it. */
export function stepOf(range?: readonly number[]): number {
  return range ? Math.max(range[2] - range[0], range[3] - range[1]) / LARGEST : 0;
}
