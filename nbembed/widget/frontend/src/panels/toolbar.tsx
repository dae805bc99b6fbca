/** Buttons for the run, the history, tools and the view. */
import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { isFullScreen } from "../host/roots";
import type { View } from "../view/view";
import { Icon, type IconName } from "./icons";
import { useRoving } from "./roving";

interface ToolButtonProps {
  name: string;
  icon: IconName;
  hint: string;
  onClick: () => void;
  pressed?: boolean;
  expanded?: boolean;
  disabled?: boolean;
  strong?: boolean;
}

function ToolButton({ name, icon, hint, onClick, pressed, expanded, disabled, strong }: ToolButtonProps) {
  return (
    <button
      type="button"
      class={strong ? "nbe-tool nbe-tool-strong" : "nbe-tool"}
      aria-label={name}
      title={hint}
      aria-disabled={disabled ?? false}
      {...(pressed === undefined ? {} : { "aria-pressed": pressed })}
      {...(expanded === undefined ? {} : { "aria-expanded": expanded })}
      onClick={() => !disabled && onClick()}
    >
      <Icon name={icon} />
    </button>
  );
}

export function Toolbar({ view }: { view: View }) {
  const { store } = view;
  const running = view.running.value;
  const tool = view.tool.value;
  const undo = store.traits.undo.value;
  const redo = store.traits.redo.value;
  const gone = store.link.state.value === "gone";
  const bar = useRef<HTMLDivElement>(null);
  useRoving(bar);
  return (
    <div ref={bar} class="nbe-toolbar" role="toolbar" aria-label="Explorer">
      <div class="nbe-tools" inert={gone}>
        <ToolButton strong name={running ? "Pause" : "Play"} icon={running ? "pause" : "play"} hint={running ? "Pause (Space)" : "Play (Space)"} onClick={() => view.togglePlay()} />
        <ToolButton name="Step" icon="step" hint="One step (S)" onClick={() => view.step()} />
        <ToolButton name="Reset" icon="reset" hint="Start again from the first layout; labels are kept" onClick={() => view.reset()} />
      </div>
      <div class="nbe-tools" inert={gone}>
        <ToolButton name="Undo" icon="undo" disabled={!undo} hint={undo ? `Undo: ${undo} (Ctrl Z)` : "Nothing to undo"} onClick={() => view.undo()} />
        <ToolButton name="Redo" icon="redo" disabled={!redo} hint={redo ? `Redo: ${redo} (Shift Ctrl Z)` : "Nothing to redo"} onClick={() => view.redo()} />
      </div>
      <div class="nbe-tools nbe-switch" role="group" aria-label="Tool">
        <ToolButton name="Pan" icon="pan" pressed={tool === "pan"} hint="Pan and zoom (P)" onClick={() => view.choose("pan")} />
        <ToolButton name="Lasso" icon="lasso" pressed={tool === "lasso"} hint="Lasso: select points; Shift adds, Alt removes (L)" onClick={() => view.choose("lasso")} />
        <ToolButton name="Box" icon="box" pressed={tool === "box"} hint="Box: select points; Shift adds, Alt removes (B)" onClick={() => view.choose("box")} />
        <ToolButton name="Brush" icon="brush" pressed={tool === "brush"} hint="Brush: paint over points to select them; Shift adds, Alt removes (R)" onClick={() => view.choose("brush")} />
      </div>
      <div class="nbe-tools">
        <ToolButton name="Fit view" icon="fit" hint="Show the whole map (F)" onClick={() => view.map.peek()?.fitView()} />
        <ToolButton name="Picture" icon="picture" pressed={view.pictureOpen.value} hint="Save or copy a picture of the map, with title and legend" onClick={() => view.showPicture(!view.pictureOpen.peek())} />
      </div>
      <div class="nbe-spring" />
      <Summary view={view} />
      <ToolButton name="Sidebar" icon="panel" expanded={view.tab.value !== ""} hint={view.tab.value ? "Fold the panel away (O)" : "Open the panel (O)"} onClick={() => view.togglePanel()} />
      <FullScreen />
      <ToolButton name="Help" icon="help" hint="Tour, keys and mouse (?)" pressed={view.helpOpen.value} onClick={() => view.showHelp(!view.helpOpen.peek())} />
    </div>
  );
}

/** Where the host allows it: the Explorer alone on the screen. */
function FullScreen() {
  const full = useSignal(false);
  const button = useRef<HTMLSpanElement>(null);
  useEffect(() => {
    const changed = (): void => {
      full.value = isFullScreen(button.current?.closest(".nbe") ?? null);
    };
    document.addEventListener("fullscreenchange", changed);
    return () => document.removeEventListener("fullscreenchange", changed);
  }, []);
  if (!document.fullscreenEnabled) return null;
  const toggle = (): void => {
    if (full.peek()) void document.exitFullscreen();
    else void button.current?.closest(".nbe")?.requestFullscreen().catch(() => undefined);
  };
  return <span ref={button}><ToolButton name="Full screen" icon="full" hint={full.value ? "Back to the page (Esc)" : "Full screen"} pressed={full.value} onClick={toggle} /></span>;
}

/** The number of selected points, and a button that clears the selection. */
function Summary({ view }: { view: View }) {
  const count = view.store.traits.selection.value.length;
  if (!count) return <span class="nbe-summary">{view.store.traits.n_samples.value.toLocaleString("en")} points</span>;
  return (
    <span class="nbe-summary nbe-summary-on">
      {count.toLocaleString("en")}<span class="nbe-summary-word"> selected</span>
      <button type="button" class="nbe-inline" aria-label="Clear selection" title="Clear selection (Esc)" onClick={() => view.clearSelection()}>
        <Icon name="close" />
      </button>
    </span>
  );
}
