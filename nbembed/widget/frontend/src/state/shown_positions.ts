/** The points that can be picked: those of hidden classes are nowhere. */
import type { Store } from "./store";

/** All points but those of hidden classes. */
export function shownPoints({ traits }: Store): Uint32Array {
  const [known, labels] = [traits.classes.peek(), traits.label_codes.peek()];
  return Uint32Array.from({ length: traits.n_samples.peek() }, (_, i) => i).filter((i) => !known[labels[i]]?.hidden);
}

export class ShownPositions {
  private parts: readonly unknown[] = [];
  private made = new Float32Array(0);

  constructor(private readonly store: Store) {}

  of(positions: Float32Array): Float32Array {
    const { classes, label_codes: codes } = this.store.traits;
    const known = classes.peek();
    if (!known.some(({ hidden }) => hidden)) return positions;
    const labels = codes.peek();
    const parts = [positions, labels, known];
    if (parts.some((part, k) => part !== this.parts[k])) {
      this.parts = parts;
      this.made = positions.slice();
      for (let i = 0; 2 * i < positions.length; i++) if (known[labels[i]]?.hidden) this.made[2 * i] = NaN;
    }
    return this.made;
  }
}
