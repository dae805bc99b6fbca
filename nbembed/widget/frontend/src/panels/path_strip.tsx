/** The annealing path: a bar for each kept layout, the higher the better it is; scrubbed by pointer or arrows. */
import { useRef } from "preact/hooks";
import type { View } from "../view/view";
import { readable } from "../state/numbers";
import * as strings from "../strings";

/** Height of the bar of the least criterion, as a share of that of the best. */
const LOWEST = 0.16;

export function PathStrip({ view }: { view: View }) {
  const strip = useRef<HTMLDivElement>(null);
  const { path_symbol: pathSymbol } = view.store.traits;
  const path = view.store.traits.path.value;
  const symbol = pathSymbol.value;
  const chosen = view.store.traits.chosen_step.value;
  if (!path.length) return null;
  const finite = path.map((step) => step.criterion).filter((c): c is number => c !== null && Number.isFinite(c));
  const top = Math.max(...finite, 0);
  const best = top > 0 ? path.findIndex((step) => step.criterion === top) : -1;
  // From the least to the best: around centers all of them agree with most labels, and differ by few.
  const least = Math.min(...finite, top);
  const height = (criterion: number | null): number => {
    if (criterion === null || !Number.isFinite(criterion)) return 0.06;
    return LOWEST + (1 - LOWEST) * (top > least ? (criterion - least) / (top - least) : 1);
  };
  const move = (index: number): void => {
    const next = Math.min(Math.max(index, 0), path.length - 1);
    if (next === chosen) return;
    view.store.traits.chosen_step.value = next;
    view.movePath(next);
  };
  const scrub = (event: PointerEvent): void => {
    const box = strip.current?.getBoundingClientRect();
    if (box) move(Math.floor(((event.clientX - box.left) / box.width) * path.length));
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const from = chosen < 0 ? path.length - 1 : chosen;
    const to = { ArrowLeft: from - 1, ArrowDown: from - 1, ArrowRight: from + 1, ArrowUp: from + 1, Home: 0, End: path.length - 1 }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    move(to);
  };
  const at = path[chosen];
  const kept = path[best];
  const text = at ? strings.pathStepWithCriterion(symbol, readable(at.value), at.criterion === null ? "none" : readable(at.criterion)) : kept ? strings.pathBest(symbol, readable(kept.value)) : strings.endOfThePath;
  return (
    <div class="nbe-path">
      <span class="nbe-path-name" aria-hidden="true">{strings.pathTitle(symbol)}</span>
      <div
        ref={strip} class="nbe-strip" tabIndex={0} role="slider" aria-label={strings.annealingPath}
        aria-valuemin={0} aria-valuemax={path.length - 1} aria-valuenow={Math.max(chosen, 0)} aria-valuetext={text}
        onKeyDown={onKeyDown}
        onPointerDown={(e) => {
          e.currentTarget.setPointerCapture(e.pointerId);
          scrub(e);
        }}
        onPointerMove={(e) => e.currentTarget.hasPointerCapture(e.pointerId) && scrub(e)}
      >
        {path.map((step, i) => (
          <div key={i} class="nbe-bar" data-chosen={i === chosen} data-best={i === best} title={symbol + " " + readable(step.value) + (step.criterion === null ? "" : strings.pathStepCriterion(readable(step.criterion))) + (i === best ? strings.pathBestStep : "")}>
            <i style={{ height: `${100 * height(step.criterion)}%` }} />
          </div>
        ))}
      </div>
      <span class="nbe-value">{at ? readable(at.value) : kept ? strings.bestAt(readable(kept.value)) : "–"}</span>
    </div>
  );
}
