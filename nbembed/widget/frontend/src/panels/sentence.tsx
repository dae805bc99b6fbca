/** A sentence of `strings.ts` with its strong parts in bold. */
import type { Parts } from "../strings";

export function Sentence({ parts }: { parts: Parts }) {
  return <>{parts.map((part) => (typeof part === "string" ? part : <b dir="auto">{part.strong}</b>))}</>;
}
