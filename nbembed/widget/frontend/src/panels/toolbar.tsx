/** Buttons for the run, the history, tools and the view. */
import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { isFullScreen } from "../host/roots";
import type { View } from "../view/view";
import { Icon, type IconName } from "./icons";
import { useRoving } from "./roving";
import * as strings from "../strings";

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
    <div ref={bar} class="nbe-toolbar" role="toolbar" aria-label={strings.explorer}>
      <div class="nbe-tools" inert={gone}>
        <ToolButton strong name={running ? strings.pause : strings.play} icon={running ? "pause" : "play"} hint={running ? strings.pauseHint : strings.playHint} onClick={() => view.togglePlay()} />
        <ToolButton name={strings.step} icon="step" hint={strings.stepHint} onClick={() => view.step()} />
        <ToolButton name={strings.reset} icon="reset" hint={strings.resetHint} onClick={() => view.reset()} />
      </div>
      <div class="nbe-tools" inert={gone}>
        <ToolButton name={strings.undo} icon="undo" disabled={!undo} hint={undo ? strings.undoHint(undo) : strings.nothingToUndo} onClick={() => view.undo()} />
        <ToolButton name={strings.redo} icon="redo" disabled={!redo} hint={redo ? strings.redoHint(redo) : strings.nothingToRedo} onClick={() => view.redo()} />
      </div>
      <div class="nbe-tools nbe-switch" role="group" aria-label={strings.tool}>
        <ToolButton name={strings.pan} icon="pan" pressed={tool === "pan"} hint={strings.panHint} onClick={() => view.choose("pan")} />
        <ToolButton name={strings.lasso} icon="lasso" pressed={tool === "lasso"} hint={strings.lassoHint} onClick={() => view.choose("lasso")} />
        <ToolButton name={strings.box} icon="box" pressed={tool === "box"} hint={strings.boxHint} onClick={() => view.choose("box")} />
        <ToolButton name={strings.brush} icon="brush" pressed={tool === "brush"} hint={strings.brushHint} onClick={() => view.choose("brush")} />
      </div>
      <div class="nbe-tools">
        <ToolButton name={strings.fitView} icon="fit" hint={strings.fitViewHint} onClick={() => view.map.peek()?.fitView()} />
        <ToolButton name={strings.picture} icon="picture" pressed={view.pictureOpen.value} hint={strings.pictureHint} onClick={() => view.showPicture(!view.pictureOpen.peek())} />
      </div>
      <div class="nbe-spring" />
      <Summary view={view} />
      <ToolButton name={strings.sidebar} icon="panel" expanded={view.tab.value !== ""} hint={view.tab.value ? strings.closeSidebarHint : strings.openSidebarHint} onClick={() => view.togglePanel()} />
      <FullScreen />
      <ToolButton name={strings.help} icon="help" hint={strings.helpHint} pressed={view.helpOpen.value} onClick={() => view.showHelp(!view.helpOpen.peek())} />
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
  return <span ref={button}><ToolButton name={strings.fullScreen} icon="full" hint={full.value ? strings.leaveFullScreenHint : strings.fullScreen} pressed={full.value} onClick={toggle} /></span>;
}

/** The number of selected points, and a button that clears the selection. */
function Summary({ view }: { view: View }) {
  const count = view.store.traits.selection.value.length;
  if (!count) return <span class="nbe-summary">{strings.count(view.store.traits.n_samples.value)}</span>;
  return (
    <span class="nbe-summary nbe-summary-on">
      {count.toLocaleString("en")}<span class="nbe-summary-word">{strings.selectedSuffix}</span>
      <button type="button" class="nbe-inline" aria-label={strings.clearSelection} title={strings.clearSelectionHint} onClick={() => view.clearSelection()}>
        <Icon name="close" />
      </button>
    </span>
  );
}
