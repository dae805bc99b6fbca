/**
 * The questions that a person is asked about suggestions: the most doubtful points one after the
 * other, or a random sample that shows how many suggestions are right. A question is a point that
 * the map marks; an answer is an ordinary label.
 */
import { computed, effect, signal, type ReadonlySignal } from "@preact/signals";
import type { Store } from "./store";
import { acceptable, accuracyText, confidenceOf, leastConfidence } from "./suggestions";
import * as strings from "../strings";

type Kind = "doubtful" | "suspicious" | "check";

interface Question {
  kind: Kind;
  /** The point, or −1 while the suggestions after the last answer are awaited. */
  point: number;
}

/** What questions need of their view. */
export interface Host {
  say: (message: string) => void;
  able: () => boolean;
  /** Label a point as a person does. */
  label: (point: number, name: string) => void;
  /** Bring a point into view. */
  show: (point: number) => void;
  /** Open the panel of the suggestions. */
  reveal: () => void;
}

/** Points that a check draws. */
export const CHECK_SIZE = 20;
/** The share of accepted suggestions that is expected to be right, and the confidence where no such share is. */
const EXPECTED = 0.95;
const OTHERWISE = 0.9;
/** Milliseconds after which the next question is asked without new suggestions. */
const PATIENCE = 800;

export class Questions {
  /** Whether the panel is open. */
  readonly open = signal(false);
  /** The least confidence to accept that a person has chosen, if any. */
  readonly chosen = signal<number | null>(null);
  /** The least confidence to accept: before one is chosen, where {@link EXPECTED} are expected to be right. */
  readonly threshold: ReadonlySignal<number>;
  readonly asked = signal<Question | null>(null);
  /** The labels of suspicious points that a person has confirmed or given instead. */
  private readonly confirmed = signal<ReadonlyMap<number, string>>(new Map());
  /** The point that is asked for, −1 if none is. */
  readonly point: ReadonlySignal<number>;
  /** Points of the check without an answer, whose suggestion is not shown. */
  readonly hidden: ReadonlySignal<Set<number>>;
  private readonly offs: (() => void)[];
  /** The points asked for so far, and which of them is asked for now. */
  private trail: number[] = [];
  private at = -1;
  private waiting: Kind | null = null;
  private timer: ReturnType<typeof setTimeout> | undefined;
  /** Whether a check begins once there are suggestions. */
  private checkWanted = false;
  /** Whether the end of the check is to be announced. */
  private checking = false;

  constructor(
    private readonly store: Store,
    private readonly host: Host,
  ) {
    this.threshold = computed(() => {
      const { suggestions, traits } = store;
      return this.chosen.value ?? leastConfidence(suggestions.value, traits.label_codes.value, EXPECTED) ?? OTHERWISE;
    });
    this.point = computed(() => this.asked.value?.point ?? -1);
    this.hidden = computed(() => {
      const check = store.suggestions.value.check;
      return new Set(check?.points.filter((_, i) => check.answers[i] < 0) ?? []);
    });
    this.offs = [
      effect(() => store.showSuggestions(this, this.open.value || store.traits.color_by.value === "suggestion")),
      store.suggestions.subscribe(() => this.arrived()),
    ];
  }

  destroy(): void {
    clearTimeout(this.timer);
    for (const off of this.offs) off();
    this.store.showSuggestions(this, false);
  }

  get asking(): boolean {
    return this.asked.peek() !== null;
  }

  /** Go to the next question, or back to the one before; begins with the most doubtful point. */
  step(by: 1 | -1): void {
    if (!this.host.able()) return;
    this.reveal();
    const kind = this.asked.peek()?.kind;
    if (!kind) this.begin("doubtful");
    else if (by < 0) this.back();
    else this.next(kind);
  }

  /** Ask for one point of a list. */
  ask(point: number, kind: "doubtful" | "suspicious" = "doubtful"): void {
    if (!this.host.able()) return;
    if (this.asked.peek()?.kind !== kind) this.trail = [];
    this.trail = [...this.trail.filter((p) => p !== point), point];
    this.put(kind, this.trail.length - 1);
  }

  /** Points whose label the other labels contradict, without those that a person has confirmed. */
  suspicious(): number[] {
    const confirmed = this.confirmed.value;
    return [...this.store.suggestions.value.suspicious].filter((i) => ![undefined, confirmed.get(i)].includes(this.labelOf(i)));
  }

  private labelOf(point: number): string | undefined {
    const { classes, label_codes } = this.store.traits;
    return classes.value[label_codes.value[point]]?.name;
  }

  /** Draw points to check of those that would be accepted, of all if none would; or go on with those that have no answer. */
  check(): void {
    if (!this.host.able()) return;
    this.reveal();
    if (this.hidden.peek().size) {
      this.begin("check");
      return;
    }
    const why = this.unready();
    if (why) {
      this.host.say(why);
      this.checkWanted = this.underWay();
      return;
    }
    this.waiting = "check";
    const threshold = this.threshold.peek();
    const { count } = acceptable(this.store.suggestions.peek(), this.store.traits.label_codes.peek(), threshold);
    void this.store.commands.send("check_suggestions", { size: CHECK_SIZE, confidence: count ? threshold : 0 }, []).then(({ ok }) => {
      if (!ok && this.waiting === "check") this.waiting = null;
    });
  }

  /** Answer with the class of that index; `key` names it where there is none. */
  answer(index: number, key = ""): void {
    const question = this.asked.peek();
    if (!question || question.point < 0 || !this.host.able()) return;
    const known = this.store.traits.classes.peek()[index];
    if (!known) {
      this.host.say(strings.noClassOfKey(key));
      return;
    }
    this.answerAs(known.name);
  }

  /** Answer with a class by name, which may be new. */
  answerAs(name: string): void {
    const question = this.asked.peek();
    if (!question || question.point < 0 || !this.host.able()) return;
    const { kind, point } = question;
    if (kind === "suspicious") this.confirmed.value = new Map(this.confirmed.peek()).set(point, name);
    if (kind === "suspicious" && this.labelOf(point) === name) this.host.say(strings.labelConfirmed(name));
    else this.host.label(point, name);
    if (kind === "check" || kind === "suspicious") {
      this.next(kind);
      return;
    }
    // The answer changes what is most doubtful.
    this.asked.value = { kind: "doubtful", point: -1 };
    this.wait("doubtful");
  }

  leave(): void {
    clearTimeout(this.timer);
    this.waiting = null;
    this.checkWanted = this.checking = false;
    this.asked.value = null;
    this.host.say(strings.noMoreQuestions);
  }

  /** Accept all suggestions that are at least as sure as the threshold. */
  accept(): void {
    if (!this.host.able()) return;
    this.reveal();
    const threshold = this.threshold.peek();
    const why = this.refusal();
    if (why) {
      this.host.say(why);
      return;
    }
    const { count } = acceptable(this.store.suggestions.peek(), this.store.traits.label_codes.peek(), threshold);
    void this.store.commands.send("accept", { confidence: threshold }, []);
    this.host.say(strings.accepted(count));
  }

  /** Why nothing can be accepted now, "" if something can. */
  refusal(): string {
    const why = this.unready();
    if (why) return why;
    const { count, unlabeled, most } = acceptable(this.store.suggestions.value, this.store.traits.label_codes.value, this.threshold.value);
    if (count) return "";
    if (!unlabeled) return strings.allPointsAreLabeled;
    return most ? strings.noSuggestionReaches(this.threshold.value.toFixed(2), (Math.floor(100 * most) / 100).toFixed(2)) : strings.noUnlabeledPointConnected;
  }

  /** Why there are no suggestions, "" if there are. */
  unready(): string {
    const { state, error } = this.store.suggestions.value;
    if (!this.labeled()) return strings.labelSomePointsFirst;
    return { none: strings.labelSomePointsFirst, making: strings.findingNeighbors, failed: error, ready: "" }[state];
  }

  /** Whether suggestions are being made, which bring a question; others, much later, must not. */
  private underWay(): boolean {
    return this.labeled() && this.store.suggestions.peek().state === "making";
  }

  private reveal(): void {
    this.open.value = true;
    this.host.reveal();
  }

  private labeled(): boolean {
    return this.store.traits.label_codes.value.some((k) => k >= 0);
  }

  private begin(kind: Kind): void {
    this.trail = [];
    this.at = -1;
    const why = this.unready();
    if (kind === "doubtful" && why) {
      this.host.say(why);
      if (this.underWay()) this.waiting = "doubtful";
      return;
    }
    this.next(kind);
  }

  private wait(kind: Kind): void {
    this.waiting = kind;
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.waiting === kind && this.next(kind), PATIENCE);
  }

  /** New suggestions have come. */
  private arrived(): void {
    const { state, check } = this.store.suggestions.peek();
    if (this.checking && check && check.answered === check.points.length) {
      this.checking = false;
      if (this.asked.peek()?.kind === "check") this.asked.value = null;
      this.host.say(strings.checkComplete(accuracyText(check)));
    }
    if (this.checkWanted && state !== "making") {
      this.checkWanted = false;
      if (state === "ready") this.check();
      return;
    }
    const kind = this.waiting;
    if (!kind || state !== "ready" || (kind === "check" && !this.hidden.peek().size)) return;
    if (kind === "check") this.trail = [];
    this.next(kind);
  }

  private next(kind: Kind): void {
    clearTimeout(this.timer);
    this.waiting = null;
    if (this.at + 1 < this.trail.length) {
      this.put(kind, this.at + 1);
      return;
    }
    const seen = new Set(this.trail);
    const point = this.candidates(kind).find((p) => !seen.has(p));
    if (point === undefined) {
      this.asked.value = null;
      if (kind === "doubtful") this.host.say(strings.noMoreDoubtful);
      if (kind === "suspicious") this.host.say(strings.noMoreSuspicious);
      return;
    }
    this.trail = [...this.trail, point];
    this.put(kind, this.trail.length - 1);
  }

  private back(): void {
    const question = this.asked.peek();
    if (question && this.at > 0) this.put(question.kind, question.point < 0 ? this.at : this.at - 1);
    else this.host.say(strings.thisIsTheFirstQuestion);
  }

  private candidates(kind: Kind): number[] {
    if (kind === "check") return [...this.hidden.peek()];
    if (kind === "suspicious") return this.suspicious();
    const labels = this.store.traits.label_codes.peek();
    return [...this.store.suggestions.peek().doubtful].filter((i) => !(labels[i] >= 0));
  }

  private put(kind: Kind, at: number): void {
    this.at = at;
    const point = this.trail[at];
    this.checking = kind === "check";
    this.asked.value = { kind, point };
    this.host.show(point);
    this.host.say(this.describe(kind, point));
  }

  private describe(kind: Kind, point: number): string {
    const keys = strings.questionKeys;
    if (kind === "check") return strings.checkQuestionSpoken(this.place(point), point, keys);
    return strings.doubtfulQuestionSpoken(point, this.candidatesText(point), keys);
  }

  /** The place of a point in the check: "7 of 20". */
  place(point: number): string {
    const points = this.store.suggestions.value.check?.points ?? [];
    return strings.partOf(points.indexOf(point) + 1, points.length);
  }

  /** What is suggested for a point: "seven 0.93"; "" where nothing is. */
  suggestedText(point: number): string {
    const found = this.store.suggestions.value;
    const confidence = confidenceOf(found, point);
    const name = this.store.traits.classes.value[found.classes[point]]?.name;
    return confidence && name !== undefined ? `${name} ${confidence.toFixed(2)}` : "";
  }

  /** What a doubtful point may be: "seven or one". */
  candidatesText(point: number): string {
    const { suggestions, traits } = this.store;
    const found = suggestions.value;
    const place = found.suspicious.indexOf(point);
    if (place >= 0) return strings.labelAndOthersSay(this.labelOf(point) ?? strings.noLabel, traits.classes.value[found.instead[place]]?.name ?? "");
    if (confidenceOf(found, point) === 0) return strings.noClassIsSuggested;
    const first = traits.classes.value[found.classes[point]]?.name;
    const second = traits.classes.value[found.second[found.doubtful.indexOf(point)]]?.name;
    return [first, second].filter((name) => name !== undefined).join(strings.orWord);
  }
}
