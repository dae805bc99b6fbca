/** The side panel: a tab for each thing to do beside the map. */
import type { ComponentType } from "preact";
import { useRef } from "preact/hooks";
import type { View } from "../view/view";
import { DataPanel } from "./data";
import { FindPanel } from "./find";
import { useFocusKept } from "./focus";
import { GroupPanel } from "./group";
import { ComparePanel } from "./compare";
import { HistoryPanel } from "./history";
import { MinePanel } from "./mine";
import { useOwnId } from "./own_id";
import { PanelEdge } from "./panel_edge";
import { Steer } from "./steer";
import { WhyPanel } from "./why";
import * as strings from "../strings";

interface Tab {
  name: string;
  title: string;
  hint: string;
  Panel: ComponentType<{ view: View }>;
  /** Whether it is of use without a kernel. */
  alone?: boolean;
}

const TABS: readonly Tab[] = [
  { name: "steer", title: strings.steer, hint: strings.steerTabHint, Panel: Steer },
  { name: "data", title: strings.data, hint: strings.dataTabHint, Panel: DataPanel },
  { name: "group", title: strings.group, hint: strings.groupTabHint, Panel: GroupPanel },
  { name: "find", title: strings.find, hint: strings.findTabHint, Panel: FindPanel },
  { name: "why", title: strings.why, hint: strings.whyTabHint, Panel: WhyPanel },
  { name: "compare", title: strings.compareLabel, hint: strings.compareTabHint, Panel: ComparePanel },
  { name: "history", title: strings.history, hint: strings.historyTabHint, Panel: HistoryPanel, alone: true },
];

const MINE: Tab = { name: "mine", title: strings.mine, hint: strings.mineTabHint, Panel: MinePanel };

/** The tabs that there are: that of the user's own figure comes with the figure. */
function tabsOf({ store }: View): readonly Tab[] {
  return store.traits.own_figure.value ? [...TABS, MINE] : TABS;
}

/**
 * Only the open panel is there: what is closed asks nothing and draws nothing. It scrolls where it needs more
 * room than there is beside the map. Without an open tab it is folded away.
 */
export function SidePanel({ view }: { view: View }) {
  const id = useOwnId();
  const name = view.tab.value;
  const open = tabsOf(view).find((tab) => tab.name === name) ?? (name && TABS[0]);
  return open ? <Open view={view} open={open} id={id} /> : null;
}

function Open({ view, open, id }: { view: View; open: Tab; id: string }) {
  const ref = useFocusKept<HTMLDivElement>();
  const { Panel } = open;
  const gone = view.store.link.state.value === "gone";
  return (
    <div ref={ref} class="nbe-panel" id={`${id}-side`}>
      <PanelEdge view={view} panel={`${id}-side`} />
      <TabList view={view} open={open} id={id} />
      <div
        class="nbe-tab-panel nbe-scrolls" data-tab={open.name} id={`${id}-panel`} inert={gone && !open.alone}
        role="tabpanel" aria-labelledby={`${id}-${open.name}`}
      >
        <Panel key={open.name} view={view} />
      </div>
    </div>
  );
}

/** Arrow keys move between tabs, of which one can be reached by Tab. */
function TabList({ view, open, id }: { view: View; open: Tab; id: string }) {
  const list = useRef<HTMLDivElement>(null);
  const tabs = tabsOf(view);
  const move = (event: KeyboardEvent) => {
    const to = { ArrowRight: tabs.indexOf(open) + 1, ArrowLeft: tabs.indexOf(open) - 1, Home: 0, End: tabs.length - 1 }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    const at = (to + tabs.length) % tabs.length;
    view.tab.value = tabs[at].name;
    list.current?.querySelectorAll<HTMLElement>("[role=tab]")[at]?.focus();
  };
  return (
    <div ref={list} class="nbe-tabs" role="tablist" aria-label={strings.panels} onKeyDown={move}>
      {tabs.map(({ name, title, hint }) => (
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
