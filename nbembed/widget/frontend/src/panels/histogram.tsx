/** A small histogram of a group before that of others, each in units of its own highest bar, or both in the same. */

const HEIGHT = 26;

export function Histogram({ bars, others, same = false }: { bars: readonly number[]; others: readonly number[]; same?: boolean }) {
  const unit = same ? Math.max(...bars, ...others, 1) : 0;
  return (
    <svg class="nbe-histogram" viewBox={`0 0 ${bars.length} ${HEIGHT}`} preserveAspectRatio="none" aria-hidden="true">
      <path class="nbe-histogram-others" d={outline(others, unit)} />
      <path class="nbe-histogram-group" d={outline(bars, unit)} />
    </svg>
  );
}

/** Bars as one path; a bar that is not empty is seen. */
function outline(bars: readonly number[], unit: number): string {
  const highest = unit || Math.max(...bars, 1);
  const tops = bars.map((n) => HEIGHT - (n && Math.max(1, (HEIGHT * n) / highest)));
  return `M0 ${HEIGHT}${tops.map((y, k) => `V${y.toFixed(2)}H${k + 1}`).join("")}V${HEIGHT}Z`;
}
