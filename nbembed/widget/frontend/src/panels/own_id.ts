/** Names of elements by which others refer to them. */
import { useState } from "preact/hooks";

/** An id that no other view on the page has, also of another widget; Preact's `useId` counts in each view anew. */
export function useOwnId(): string {
  return useState(() => `nbe-${Math.random().toString(36).slice(2)}`)[0];
}
