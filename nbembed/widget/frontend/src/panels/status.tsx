/** State, an unsupervised quality in a word, its figures with iteration and cost on request, and the curve of the cost. */
import { useSignal } from "@preact/signals";
import { inline } from "../state/cards";
import type { View } from "../view/view";
import type { Background } from "../wire/wire.generated";
import { useFocusKept } from "./focus";
import { readable } from "../state/numbers";
import { Sparkline } from "./sparkline";
import { Sentence } from "./sentence";
import * as strings from "../strings";

/** Characters of what goes on. */
const LONGEST = 120;

const STATES = { idle: strings.idle, running: strings.running, paused: strings.paused, converged: strings.converged, failed: strings.failed } as const;

export function Status({ view }: { view: View }) {
  const { state, iteration, cost, quality } = view.store.traits;
  const link = view.store.link.state.value;
  const away = link === "gone" || link === "lost";
  const figures = useSignal(false);
  return (
    <div class="nbe-status" role="group" aria-label={strings.status}>
      <span class="nbe-state" data-state={away ? "gone" : state.value}><i />{away ? strings.disconnected : STATES[state.value] ?? state.value}</span>
      {!away && <Activity view={view} />}
      <button type="button" class="nbe-quality" aria-pressed={figures.value} title={strings.statusQualityHint} onClick={() => (figures.value = !figures.peek())}>
        <span class="nbe-quality-word"><Sentence parts={strings.nearestNeighborsKept(keptWord(quality.value))} /></span>
        <span class="nbe-figures">
          <Fact name={strings.statusIteration} text={iteration.value.toLocaleString("en")} hint={strings.statusIterationHint} />
          <Fact name={strings.statusCost} text={cost.value === null ? "–" : readable(cost.value)} hint={strings.statusCostHint} />
          <Fact name={strings.statusOneNnKept} text={quality.value === null ? "–" : `${(100 * quality.value).toFixed(1)} %`} hint={strings.statusOneNnKeptHint} />
        </span>
      </button>
      <Sparkline view={view} />
    </div>
  );
}

/** The share of points that keep their nearest neighbor, in a word. */
function keptWord(quality: number | null): string {
  if (quality === null) return "–";
  return quality >= 0.5 ? strings.most : quality >= 0.25 ? strings.many : quality >= 0.1 ? strings.some : strings.few;
}

/** What goes on in the background, and what is asked of the person. */
function Activity({ view }: { view: View }) {
  const { compiling, learning, making, request } = view.store.traits;
  const asks = request.value && !learning.value;
  const suggesting = view.store.suggestions.value.making;
  if (!compiling.value && !learning.value && !making.value && !suggesting && !asks) return null;
  return (
    <div class="nbe-background">
      {making.value && <Making view={view} />}
      {suggesting && <Suggesting view={view} />}
      {compiling.value && <span class="nbe-learning" title={strings.compilingHint}><i />{strings.compiling}</span>}
      {learning.value && (
        <span class="nbe-learning" title={strings.learningHint}>
          <i /><Told text={`${inline(learning.value, LONGEST)} …`} /><Cancel view={view} what="learning" named={inline(learning.value, LONGEST)} />
        </span>
      )}
      {asks && <span class="nbe-learning nbe-request"><Told text={inline(request.value, LONGEST)} /></span>}
    </div>
  );
}

/** What is being made before the map can go on: how much of it is done, and a way out. */
function Making({ view }: { view: View }) {
  const { making, making_share: share, meanwhile } = view.store.traits;
  return <Progress view={view} what="making" text={making.value} share={share.value} meanwhile={meanwhile.value} />;
}

/** The graph that labels spread along. */
function Suggesting({ view }: { view: View }) {
  const { making, share } = view.store.suggestions.value;
  return <Progress view={view} what="suggestions" text={strings.makingForSuggestions(making)} share={share} meanwhile={strings.makingForSuggestionsHint} />;
}

function Progress({ view, what, text, share, meanwhile }: { view: View; what: Background; text: string; share: number | null; meanwhile: string }) {
  const percent = share === null ? null : Math.floor(100 * share);
  const [named] = inline(text, LONGEST).split(/ \d/);
  return (
    <span class="nbe-learning nbe-making" title={meanwhile}>
      <span role="progressbar" aria-label={named} aria-valuemin={0} aria-valuemax={100} {...(percent === null ? {} : { "aria-valuenow": percent })}>
        <b style={{ width: `${percent ?? 100}%` }} />
      </span>
      <Told text={inline(text, LONGEST)} /><Cancel view={view} what={what} named={named} />
    </span>
  );
}

/** One line, so that little of the map is covered. */
function Told({ text }: { text: string }) {
  return <span class="nbe-told" title={text}>{text}</span>;
}

function Cancel({ view, what, named }: { view: View; what: Background; named: string }) {
  const ref = useFocusKept<HTMLButtonElement>();
  return <button ref={ref} type="button" class="nbe-cancel" title={strings.cancelHint(named)} onClick={() => view.cancel(what)}>{strings.cancel}</button>;
}

function Fact({ name, text, hint }: { name: string; text: string; hint: string }) {
  return <span class="nbe-fact" title={hint}><span>{name}</span> <b>{text}</b></span>;
}
