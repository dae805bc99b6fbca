/** State, iteration, cost and its curve, and an unsupervised quality beside them. */
import type { View } from "../view";
import { readable } from "./numbers";
import { Sparkline } from "./sparkline";

const STATES = { idle: "Idle", running: "Running", paused: "Paused", converged: "Converged", failed: "Failed" } as const;

export function Status({ view }: { view: View }) {
  const { state, iteration, cost, quality, compiling, learning, request } = view.store.traits;
  const gone = view.store.link.state.value === "gone";
  return (
    <div class="nbe-status" role="group" aria-label="Status">
      <span class="nbe-state" data-state={gone ? "gone" : state.value}><i />{gone ? "Disconnected" : STATES[state.value] ?? state.value}</span>
      {compiling.value && !gone && <span class="nbe-learning" title="Kernels are compiled once for an installation; the next start is quick"><i />compiling …</span>}
      {learning.value && !gone && <span class="nbe-learning" title="The map goes on meanwhile; the result takes effect when it is ready"><i />{learning.value} …</span>}
      {request.value && !learning.value && !gone && <span class="nbe-learning nbe-request">{request.value}</span>}
      <Fact name="Iteration" text={iteration.value.toLocaleString("en")} hint="Iterations since the start or the last reset" />
      <Fact name="Cost" text={cost.value === null ? "–" : readable(cost.value)} hint="The method's cost in nats" />
      <Fact name="1-NN kept" text={quality.value === null ? "–" : `${(100 * quality.value).toFixed(1)} %`} hint="Share of points whose nearest neighbor in the data is also their nearest on the map; of many points, a sample of 2000. No label enters it" />
      <Sparkline view={view} />
    </div>
  );
}

function Fact({ name, text, hint }: { name: string; text: string; hint: string }) {
  return <span class="nbe-fact" title={hint}><span>{name}</span> <b>{text}</b></span>;
}
