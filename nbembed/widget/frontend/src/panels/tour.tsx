/** A tour of a minute: one part of the Explorer after the other, each with two sentences. It begins when asked for, never by itself. */
import { useSignal } from "@preact/signals";
import { useLayoutEffect, useRef } from "preact/hooks";
import { overlap, type Box } from "../map/open_cards";
import { focusIsIn } from "../host/roots";
import type { View } from "../view/view";
import { Icon } from "./icons";
import { useOwnId } from "./own_id";
import * as strings from "../strings";

interface Stop {
  title: string;
  text: string;
  /** Selectors of the parts that it is about. Where the first cannot be seen, the stop is left out. */
  parts: readonly string[];
  /** The tab of the side panel that they are in. */
  tab?: string;
}

const tool = (name: string): string => `.nbe-tool[aria-label="${name}"]`;

const STOPS: readonly Stop[] = [
  {
    title: strings.tourMap,
    text: strings.tourMapText,
    parts: [".nbe-map", tool(strings.lasso)],
  },
  {
    title: strings.tourNaming,
    text: strings.tourNamingText,
    parts: [".nbe-section:has(.nbe-classes)"],
    tab: "steer",
  },
  {
    title: strings.tourSliders,
    text: strings.tourSlidersText,
    parts: [".nbe-section:has(.nbe-control)"],
    tab: "steer",
  },
  {
    title: strings.tourFinding,
    text: strings.tourFindingText,
    parts: [".nbe-suggestions", ".nbe-tab[id$=-group]", ".nbe-tab[id$=-find]"],
    tab: "steer",
  },
  {
    title: strings.tourUndo,
    text: strings.tourUndoText,
    parts: [".nbe-tab[id$=-history]", tool(strings.undo), tool(strings.redo)],
  },
  {
    title: strings.tourSaving,
    text: strings.tourSavingText,
    parts: [`section[aria-label="${strings.exportSection}"]`],
    tab: "history",
  },
];

export function Tour({ view }: { view: View }) {
  return view.tour.value ? <Guide view={view} /> : null;
}

function Guide({ view }: { view: View }) {
  const element = useRef<HTMLDivElement>(null);
  const stops = useSignal(STOPS);
  const at = useSignal(0);
  const forward = useRef(true);
  const shown = useSignal<{ stop: Stop; boxes: readonly Box[] } | null>(null);
  const stop = stops.value[at.value];
  const end = (): void => void (view.tour.value = false);
  const go = (by: 1 | -1): void => {
    forward.current = by > 0;
    if (at.peek() + by >= stops.peek().length) end();
    else at.value = Math.max(0, at.peek() + by);
  };
  /** Leave out a stop whose part cannot be seen. */
  const skip = (): void => {
    stops.value = stops.peek().filter((other) => other !== stop);
    at.value = Math.max(0, Math.min(at.peek() - (forward.current ? 0 : 1), stops.peek().length - 1));
    if (!stops.peek().length) end();
  };
  // Afterwards everything is as before: the open tab, and the focus at the button that opened the help.
  useLayoutEffect(() => {
    const tab = view.tab.peek();
    const guide = element.current;
    const root = guide?.closest<HTMLElement>(".nbe");
    return () => {
      view.tab.value = tab;
      if (focusIsIn(guide)) (root?.querySelector<HTMLElement>(tool(strings.help)) ?? root)?.focus({ preventScroll: true });
    };
  }, []);
  useLayoutEffect(() => {
    const root = element.current?.closest<HTMLElement>(".nbe");
    if (!root || !stop) return;
    if (stop.tab) view.tab.value = stop.tab;
    let parts: HTMLElement[] = [];
    const measure = (): void => void (shown.value = { stop, boxes: merged(parts.map((part) => boxIn(root, part))) });
    const observer = new ResizeObserver(() => parts.length && measure());
    // The tab has been drawn by then.
    const request = requestAnimationFrame(() => {
      const found = stop.parts.map((selector) => root.querySelector<HTMLElement>(selector));
      parts = found.filter((part) => part !== null).filter(visible);
      if (!parts.length || parts[0] !== found[0]) return skip();
      parts[0].scrollIntoView({ block: "nearest" });
      for (const each of [root, ...parts, ...root.querySelectorAll(".nbe-section")]) observer.observe(each);
      measure();
    });
    root.addEventListener("scroll", measure, true);
    return () => {
      cancelAnimationFrame(request);
      observer.disconnect();
      root.removeEventListener("scroll", measure, true);
    };
  }, [stop]);
  const now = shown.value;
  return (
    <div ref={element} class="nbe-tour">
      {now?.boxes.map(({ left, top, width, height }, k) => (
        <div key={k} class="nbe-tour-ring" aria-hidden="true" style={{ left: `${left}px`, top: `${top}px`, width: `${width}px`, height: `${height}px` }} />
      ))}
      {now && <Note key={now.stop.title} {...now} place={stops.value.indexOf(now.stop)} count={stops.value.length} go={go} end={end} />}
    </div>
  );
}

interface NoteProps {
  stop: Stop;
  boxes: readonly Box[];
  place: number;
  count: number;
  go: (by: 1 | -1) => void;
  end: () => void;
}

/** What is said of a part. A new one for each, so that screen readers read it when it takes the focus. */
function Note({ stop: { title, text }, boxes, place, count, go, end }: NoteProps) {
  const id = useOwnId();
  const element = useRef<HTMLDivElement>(null);
  const next = useRef<HTMLButtonElement>(null);
  useLayoutEffect(() => {
    if (element.current) settle(element.current, boxes);
  }, [boxes]);
  useLayoutEffect(() => {
    next.current?.focus({ preventScroll: true });
    element.current?.scrollIntoView({ block: "nearest" });
  }, []);
  const last = place === count - 1;
  const keys = (event: KeyboardEvent): void => {
    const by = ({ ArrowRight: 1, ArrowLeft: -1 } as const)[event.key];
    if (!by) return;
    event.preventDefault();
    if (by < 0 || !last) go(by);
  };
  return (
    <div ref={element} class="nbe-tour-note" role="dialog" aria-labelledby={`${id}-title`} aria-describedby={`${id}-text`} onKeyDown={keys}>
      <div class="nbe-heading">
        <h3 id={`${id}-title`}>{title}</h3>
        <button type="button" class="nbe-inline" aria-label={strings.endTheTour} title={strings.endTheTourHint} onClick={end}><Icon name="close" /></button>
      </div>
      <p id={`${id}-text`}>{text}</p>
      <div class="nbe-tour-steps">
        <span class="nbe-faint">{strings.partOf(place + 1, count)}</span>
        {place > 0 && <button type="button" class="nbe-button" onClick={() => go(-1)}>{strings.back}</button>}
        <button ref={next} type="button" class="nbe-button nbe-primary" onClick={() => go(1)}>{last ? strings.done : strings.next}</button>
      </div>
    </div>
  );
}

function visible(part: HTMLElement): boolean {
  return part.getClientRects().length > 0 && getComputedStyle(part).visibility === "visible" && !part.closest("[inert]");
}

/** Pixels around a part, and between it and what is said of it. */
const MARGIN = 3;
const GAP = 10;

/** Where a part lies in the Explorer, with a margin as far as there is room. */
function boxIn(root: HTMLElement, part: HTMLElement): Box {
  const [own, whole] = [part.getBoundingClientRect(), root.getBoundingClientRect()];
  const inside = (value: number, most: number): number => Math.min(Math.max(value, 1), most - 1);
  const left = inside(own.left - whole.left - root.clientLeft - MARGIN, root.clientWidth);
  const top = inside(own.top - whole.top - root.clientTop - MARGIN, root.clientHeight);
  const right = inside(own.right - whole.left - root.clientLeft + MARGIN, root.clientWidth);
  const bottom = inside(own.bottom - whole.top - root.clientTop + MARGIN, root.clientHeight);
  return { left, top, width: right - left, height: bottom - top };
}

/** The boxes, those that touch as one; the first stays first. */
function merged(boxes: readonly Box[]): Box[] {
  const found: Box[] = [];
  for (const box of boxes) {
    const k = found.findIndex((other) => overlap(box, other) > 0);
    if (k < 0) found.push(box);
    else found[k] = union(found[k], box);
  }
  return found;
}

function union(a: Box, b: Box): Box {
  const [left, top] = [Math.min(a.left, b.left), Math.min(a.top, b.top)];
  return { left, top, width: Math.max(a.left + a.width, b.left + b.width) - left, height: Math.max(a.top + a.height, b.top + b.height) - top };
}

/** Put the note beside the first part: inside the Explorer, and over as little of the parts as possible. */
function settle(note: HTMLElement, boxes: readonly Box[]): void {
  const root = note.closest<HTMLElement>(".nbe");
  if (!root || !boxes.length) return;
  const [{ left, top, width, height }] = boxes;
  const own = { width: note.offsetWidth, height: note.offsetHeight };
  const places: [number, number][] = [
    [left + width / 2 - own.width / 2, top + height + GAP],
    [left + width / 2 - own.width / 2, top - own.height - GAP],
    [left - own.width - GAP, top + Math.min(height, own.height) / 2 - own.height / 2],
    [left + width + GAP, top + Math.min(height, own.height) / 2 - own.height / 2],
    [left + width - own.width - GAP, top + height - own.height - GAP],
  ];
  const inside = (value: number, length: number, whole: number): number => Math.max(GAP, Math.min(value, whole - length - GAP));
  let least = Infinity;
  for (const [x, y] of places) {
    const box = { left: inside(x, own.width, root.clientWidth), top: inside(y, own.height, root.clientHeight), ...own };
    const cost = boxes.reduce((sum, part) => sum + overlap(box, part), 0);
    if (cost >= least) continue;
    least = cost;
    note.style.left = `${box.left}px`;
    note.style.top = `${box.top}px`;
  }
}
