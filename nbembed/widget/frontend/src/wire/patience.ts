/**
 * How long an answer is waited for. Only time in which the kernel could have answered counts: while a cell
 * runs, or the connection is down, nothing that was asked is lost.
 */
import { effect } from "@preact/signals";
import type { Link } from "./link";

/** Milliseconds in which a kernel that is asked whether it is there shows that it is, or counts as busy. */
const PROBE = 4000;

/** Milliseconds after which the answer of a kernel that is free counts as lost. */
export const PATIENCE = 20_000;

/** Call `lost` once the kernel has been free for so many milliseconds; the returned function stops the waiting. */
export function waitFor(link: Link, milliseconds: number, lost: () => void): () => void {
  return effect(() => {
    if (link.state.value !== "live") return;
    // Nothing may have been asked since that told of a busy kernel: the last word is its answer to a greeting.
    let timer = setTimeout(() => {
      link.probe();
      timer = setTimeout(lost, PROBE);
    }, milliseconds);
    return () => clearTimeout(timer);
  });
}
