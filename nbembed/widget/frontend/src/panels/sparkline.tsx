/** A small curve of the cost. */
import type { View } from "../view/view";
import { readable } from "../state/numbers";
import * as strings from "../strings";

const WIDTH = 96;
const HEIGHT = 22;

export function Sparkline({ view }: { view: View }) {
  const { iterations, costs } = view.store.costHistory.value;
  const n = costs.length;
  const text = n < 2
    ? strings.costCurveNoValuesYet
    : strings.costCurve(readable(costs[0]), iterations[0], readable(costs[n - 1]), iterations[n - 1]);
  return (
    <svg class="nbe-spark" viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" role="img" aria-label={text}>
      <title>{text}</title>
      {n >= 2 && <Curve iterations={iterations} costs={costs} />}
    </svg>
  );
}

function Curve({ iterations, costs }: { iterations: number[]; costs: number[] }) {
  const n = costs.length;
  // A huge first value must not flatten the rest: the top of the scale is the 95 % quantile.
  const sorted = [...costs].sort((a, b) => a - b);
  const low = sorted[0];
  const high = sorted[Math.floor(0.95 * (n - 1))];
  const first = iterations[0];
  const span = iterations[n - 1] - first || 1;
  const y = (c: number): number => 3 + (HEIGHT - 6) * (1 - Math.min(1, Math.max(0, (c - low) / (high - low || 1))));
  const x = (i: number): number => 2 + ((WIDTH - 6) * (iterations[i] - first)) / span;
  const line = costs.map((c, i) => `${i ? "L" : "M"}${x(i).toFixed(1)},${y(c).toFixed(1)}`).join("");
  return (
    <>
      <path class="nbe-spark-area" d={`${line}L${x(n - 1).toFixed(1)},${HEIGHT}L2,${HEIGHT}Z`} />
      <path class="nbe-spark-line" d={line} />
    </>
  );
}
