/** A small histogram of a group before that of others, each in units of its own highest bar. */

const HEIGHT = 26;

export function Histogram({ bars, others }: { bars: readonly number[]; others: readonly number[] }) {
  return (
    <svg class="nbe-histogram" viewBox={`0 0 ${bars.length} ${HEIGHT}`} preserveAspectRatio="none" aria-hidden="true">
      <path class="nbe-histogram-others" d={outline(others)} />
      <path class="nbe-histogram-group" d={outline(bars)} />
    </svg>
  );
}

/** Bars as one path; a bar that is not empty is seen. */
function outline(bars: readonly number[]): string {
  const highest = Math.max(...bars, 1);
  const tops = bars.map((n) => HEIGHT - (n && Math.max(1, (HEIGHT * n) / highest)));
  return `M0 ${HEIGHT}${tops.map((y, k) => `V${y.toFixed(2)}H${k + 1}`).join("")}V${HEIGHT}Z`;
}
