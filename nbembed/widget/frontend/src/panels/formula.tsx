/** A formula in plain characters, set as in print: powers raised, indices lowered, quantities in italics. */

const INDICES: Record<string, string> = { "ᵢ": "i", "ⱼ": "j", "ₖ": "k", "ₙ": "n", "ᵣ": "r", "ᵩ": "φ" };

/** A power in parentheses, indices, a word with its marks, or any other character. */
const PARTS = /\^\(([^()]*)\)|([ᵢⱼₖₙᵣᵩ]+)|([a-zA-Zα-ω]+\p{M}*)|([^])/gu;

export function Formula({ text }: { text: string }) {
  return (
    <>
      {[...text.matchAll(PARTS)].map(([, power, indices, word, other], k) => {
        if (power) return <sup key={k}><Formula text={power} /></sup>;
        if (indices) return <sub key={k}><i>{[...indices].map((c) => INDICES[c]).join("")}</i></sub>;
        // Words such as log stand upright, quantities are single letters.
        return word && /^.\p{M}*$/u.test(word) ? <i key={k}>{word}</i> : (word ?? other);
      })}
    </>
  );
}
