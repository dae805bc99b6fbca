/** Suggested labels: accept those that are sure, answer those that are not, and see how many are right. */
import { useEffect } from "preact/hooks";
import { inline } from "../state/cards";
import { shownCss } from "../points/contrast";
import { keyOfClass } from "../view/naming";
import { CHECK_SIZE } from "../state/questions";
import { LEAST, acceptable, accuracyText, confidenceOf } from "../state/suggestions";
import type { View } from "../view/view";
import { useFocusKept, useRevealed } from "./focus";
import { Histogram } from "./histogram";
import { Icon } from "./icons";
import { Sentence } from "./sentence";
import * as strings from "../strings";

const HEADINGS = { check: strings.check, doubtful: strings.mostDoubtful, suspicious: strings.suspiciousLabels };
/** Doubtful points that the list shows. */
const LISTED = 30;

export function SuggestionPanel({ view }: { view: View }) {
  const { open, asked } = view.questions;
  const shown = useRevealed<HTMLDivElement>(open.value && asked.value?.kind);
  return (
    <>
      <button type="button" class="nbe-disclosure" aria-expanded={open.value} title={strings.suggestionsHint} onClick={() => (open.value = !open.peek())}>
        <Icon name={open.value ? "down" : "more"} />{strings.suggestions}
      </button>
      {open.value && (
        <div ref={shown} class="nbe-suggesting">
          <Accept view={view} />
          <Doubtful view={view} />
          <Suspicious view={view} />
          <Check view={view} />
        </div>
      )}
    </>
  );
}

function Accept({ view }: { view: View }) {
  const { threshold, chosen } = view.questions;
  const { suggestions, traits } = view.store;
  const { count, right, interval, unlabeled, bars } = acceptable(suggestions.value, traits.label_codes.value, threshold.value);
  const why = view.questions.refusal();
  const text = threshold.value.toFixed(2);
  const taken = Math.floor(20 * threshold.value + 1e-9);
  return (
    <>
      {!why && <Histogram bars={bars.map((n, k) => (k >= taken ? n : 0))} others={bars} same />}
      <label class="nbe-row" title={strings.minimumConfidenceHint}>
        <span class="nbe-row-name">{strings.minimumConfidence}</span>
        <input
          type="range" class="nbe-range" aria-label={strings.minimumConfidence} aria-valuetext={text}
          min={LEAST} max={1} step={0.01} value={threshold.value}
          style={{ "--nbe-filled": `${(100 * (threshold.value - LEAST)) / (1 - LEAST)}%` }}
          onInput={(e) => (chosen.value = Number(e.currentTarget.valueAsNumber.toFixed(2)))}
        />
        <span class="nbe-value">{text}</span>
      </label>
      <button
        type="button" class="nbe-button" aria-label={why ? strings.acceptSuggestions : strings.acceptSpoken(count.toLocaleString("en"))} aria-disabled={why !== ""} aria-description={why}
        title={why || strings.acceptHint(count)}
        onClick={() => view.questions.accept()}
      >
        {strings.acceptNotPossible(why ? "" : count.toLocaleString("en"))}
      </button>
      <p class="nbe-why nbe-line" title={interval ? strings.expectedRightHint : strings.expectedRightGuessHint}>
        {why || strings.expectedRight(unlabeled.toLocaleString("en"), expected(right), interval ? `(${between(interval)})` : strings.aGuess)}
      </p>
    </>
  );
}

/** A share that never claims that all are right. */
function expected(right: number): string {
  return `${Math.min(99, Math.floor(100 * right))} %`;
}

/** An interval in percent, rounded outwards: "95–99". */
function between([low, high]: [number, number]): string {
  return `${Math.floor(100 * low)}–${Math.ceil(100 * high)}`;
}

function Doubtful({ view }: { view: View }) {
  const question = view.questions.asked.value;
  return (
    <>
      <div class="nbe-heading">
        <h3>{question ? HEADINGS[question.kind] : strings.mostDoubtful}</h3>
        <span class="nbe-steps">
          <button type="button" class="nbe-inline" aria-label={strings.previousQuestion} aria-disabled={!question} title={strings.previousQuestionHint} onClick={() => view.questions.step(-1)}><Icon name="back" /></button>
          <button type="button" class="nbe-inline" aria-label={strings.nextQuestion} title={question ? strings.nextQuestionHint : strings.mostDoubtfulHint} onClick={() => view.questions.step(1)}><Icon name="more" /></button>
        </span>
      </div>
      <div class="nbe-questions">{question ? <Ask view={view} /> : <List view={view} />}</div>
    </>
  );
}

function List({ view }: { view: View }) {
  const { suggestions, traits } = view.store;
  const labels = traits.label_codes.value;
  const ref = useFocusKept<HTMLDivElement>();
  const points = [...suggestions.value.doubtful].filter((i) => !(labels[i] >= 0)).slice(0, LISTED);
  return (
    <div ref={ref}>
      {points.length ? <Rows view={view} points={points} kind="doubtful" /> : <p class="nbe-why">{view.questions.unready() || strings.noUnlabeledPointIsLeft}</p>}
    </div>
  );
}

/** Labels that the other labels contradict; nothing where there are none. */
function Suspicious({ view }: { view: View }) {
  const points = view.questions.suspicious().slice(0, LISTED);
  const ref = useFocusKept<HTMLDivElement>();
  if (!points.length || view.questions.asked.value) return null;
  return (
    <>
      <div class="nbe-heading"><h3 title={strings.suspiciousLabelsHint}>{strings.suspiciousLabels}</h3></div>
      <div ref={ref} class="nbe-questions"><Rows view={view} points={points} kind="suspicious" /></div>
    </>
  );
}

function Rows({ view, points, kind }: { view: View; points: number[]; kind: "doubtful" | "suspicious" }) {
  const found = view.store.suggestions.value;
  const { cards, traits } = view.store;
  const named = traits.named.value;
  useEffect(() => {
    if (named) cards.askNames(points);
  }, [named, points.join()]);
  void cards.version;
  return (
    <ol class="nbe-doubtful" aria-label={kind === "doubtful" ? strings.mostDoubtfulPoints : strings.suspiciousLabels}>
      {points.map((i) => {
        const text = view.questions.hidden.value.has(i) ? strings.toBeChecked : view.questions.candidatesText(i);
        const confidence = kind === "doubtful" ? confidenceOf(found, i) : 0;
        return (
          <li key={i}>
            <button type="button" title={strings.askForPoint(i)} onClick={() => view.questions.ask(i, kind)}>
              <span class="nbe-faint nbe-doubt-point"><bdi>{inline(cards.name(i) ?? "", 40) || `#${i}`}</bdi></span><span class="nbe-doubt">{text}</span><span class="nbe-faint">{confidence ? confidence.toFixed(2) : ""}</span>
            </button>
          </li>
        );
      })}
    </ol>
  );
}

/** One question: the point, and a button for each class. */
function Ask({ view }: { view: View }) {
  const { questions } = view;
  const question = questions.asked.value;
  const ref = useFocusKept<HTMLDivElement>();
  if (!question) return null;
  const { kind, point } = question;
  const classes = view.store.traits.classes.value;
  return (
    <div ref={ref} class="nbe-ask" role="group" aria-label={point < 0 ? strings.nextQuestion : strings.classOfPoint(point)}>
      <p class="nbe-ask-head">
        {point < 0 ? <span class="nbe-faint">…</span> : <><b>#{point}</b> <span>{kind === "check" ? questions.place(point) : questions.candidatesText(point)}</span></>}
      </p>
      <div class="nbe-answers">
        {view.classOrder.value.map((k) => ({ ...classes[k], key: keyOfClass(classes[k], classes), k })).map(({ name, color, key, k }) => (
          <button key={k} type="button" class="nbe-answer" style={{ "--nbe-class": shownCss(color, view.theme.value) }} title={key ? `${name} (${key})` : strings.answerByNameHint(name)} aria-disabled={point < 0} onClick={() => questions.answer(k)}>
            {key && key !== name && <kbd>{key}</kbd>} <span>{name}</span>
          </button>
        ))}
      </div>
      <div class="nbe-grid">
        <button type="button" class="nbe-button" title={strings.skipHint} onClick={() => questions.step(1)}>{strings.skip}</button>
        <button type="button" class="nbe-button" title={strings.endQuestionsHint} onClick={() => questions.leave()}>{strings.stop}</button>
      </div>
    </div>
  );
}

function Check({ view }: { view: View }) {
  const { questions } = view;
  const { check, state } = view.store.suggestions.value;
  const left = check ? check.points.length - check.answered : 0;
  const why = left ? "" : questions.unready();
  return (
    <>
      <button
        type="button" class="nbe-button" aria-label={left ? strings.continueCheckSpoken(left) : strings.checkSpoken(CHECK_SIZE)} aria-disabled={why !== ""} aria-description={why}
        title={why || (left ? strings.continueCheckHint : strings.checkHint(CHECK_SIZE))}
        onClick={() => questions.check()}
      >
        {left ? strings.continueCheck(left) : strings.checkSize(CHECK_SIZE)}
      </button>
      <p class="nbe-why nbe-result" data-state={state}>
        {check ? <Sentence parts={strings.checkResult(check.answered, check.points.length, check.accuracy === null ? "" : accuracyText(check), check.confidence > 0 ? check.confidence.toFixed(2) : "")} /> : strings.checkQuestion}
      </p>
    </>
  );
}
