/** The side panel: a tab for each thing to do beside the map. */
import type { ComponentType } from "preact";
import { useEffect, useId, useRef } from "preact/hooks";
import type { View } from "../view/view";
import { FindPanel } from "./find";
import { GroupPanel } from "./group";
import { ComparePanel } from "./compare";
import { HistoryPanel } from "./history";
import { Steer } from "./steer";
import { WhyPanel } from "./why";

interface Tab {
  name: string;
  title: string;
  hint: string;
  Panel: ComponentType<{ view: View }>;
  /** Whether it is of use without a kernel. */
  alone?: boolean;
}

const TABS: readonly Tab[] = [
  { name: "steer", title: "Steer", hint: "Method, sliders, classes and labels", Panel: Steer },
  { name: "group", title: "Group", hint: "What distinguishes the selected points", Panel: GroupPanel },
  { name: "find", title: "Find", hint: "Search, filters, neighbors, saved selections", Panel: FindPanel },
  { name: "why", title: "Why", hint: "What the map keeps of the data, and what pulls its points", Panel: WhyPanel },
  { name: "compare", title: "Compare", hint: "Snapshots, and two maps side by side", Panel: ComparePanel },
  { name: "history", title: "History", hint: "What was done, each step a place to go back to; exports", Panel: HistoryPanel, alone: true },
];

/** Pixels that the panel may be higher than the map was asked to be, before it scrolls. */
const MORE = 200;

/**
 * Only the open panel is there: what is closed asks nothing and draws nothing. The first one may be higher
 * than the map was asked to be. The panel is never lower than that one has been, so that the map beside it
 * keeps its size when a label, another coloring or another tab needs less room.
 */
export function SidePanel({ view }: { view: View }) {
  const id = useId();
  const open = TABS.find(({ name }) => name === view.tab.value) ?? TABS[0];
  const { Panel } = open;
  const panel = useRef<HTMLDivElement>(null);
  const kept = useRef(0);
  const stretches = open === TABS[0];
  useEffect(() => {
    const element = panel.current;
    if (!element || !stretches) return;
    const keep = new ResizeObserver(() => {
      kept.current = Math.max(kept.current, heightOf(element));
      element.style.setProperty("--nbe-kept-height", `${kept.current}px`);
    });
    for (const part of element.children) keep.observe(part);
    return () => keep.disconnect();
  }, [stretches]);
  const gone = view.store.link.state.value === "gone";
  return (
    <div class="nbe-panel">
      <TabList view={view} open={open} id={id} />
      <div
        ref={panel} class="nbe-tab-panel" data-tab={open.name} id={`${id}-panel`} inert={gone && !open.alone}
        style={{ "--nbe-kept-height": `${kept.current}px`, "--nbe-highest": `${view.store.traits.height.value + MORE}px` }}
        role="tabpanel" aria-labelledby={`${id}-${open.name}`}
      >
        <Panel key={open.name} view={view} />
      </div>
    </div>
  );
}

/** The height that an element needs: of what is in it, or its own where that scrolls. */
function heightOf(element: HTMLElement): number {
  const last = element.lastElementChild;
  if (!last) return 0;
  const { top, height } = element.getBoundingClientRect();
  return Math.min(last.getBoundingClientRect().bottom - top, height);
}

/** Arrow keys move between tabs, of which one can be reached by Tab. */
function TabList({ view, open, id }: { view: View; open: Tab; id: string }) {
  const list = useRef<HTMLDivElement>(null);
  const move = (event: KeyboardEvent) => {
    const to = { ArrowRight: TABS.indexOf(open) + 1, ArrowLeft: TABS.indexOf(open) - 1, Home: 0, End: TABS.length - 1 }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    const at = (to + TABS.length) % TABS.length;
    view.tab.value = TABS[at].name;
    list.current?.querySelectorAll<HTMLElement>("[role=tab]")[at]?.focus();
  };
  return (
    <div ref={list} class="nbe-tabs" role="tablist" aria-label="Panels" onKeyDown={move}>
      {TABS.map(({ name, title, hint }) => (
        <button
          key={name} type="button" role="tab" class="nbe-tab" id={`${id}-${name}`} title={hint}
          aria-selected={name === open.name} aria-controls={`${id}-panel`} tabIndex={name === open.name ? 0 : -1}
          onClick={() => (view.tab.value = name)}
        >
          {title}
        </button>
      ))}
    </div>
  );
}
