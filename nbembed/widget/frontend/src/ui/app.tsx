/** The Explorer's layout: toolbar, map with its footer, side panel. */
import type { Signal } from "@preact/signals";
import type { Theme } from "../theme";
import type { View } from "../view";
import { ClassPalette } from "./classes";
import { ClassCount, ColorBy, Controls, MethodSelect } from "./controls";
import { Help } from "./help";
import { Labeling } from "./labeling";
import { MapPane } from "./map_pane";
import { Notices } from "./notices";
import { PathStrip } from "./path_strip";
import { Status } from "./status";
import { SuggestionPanel } from "./suggestions";
import { Toolbar } from "./toolbar";

export function App({ view, theme, root }: { view: View; theme: Signal<Theme>; root: HTMLElement }) {
  return (
    <>
      <Toolbar view={view} />
      <Notices view={view} />
      <div class="nbe-body">
        <div class="nbe-main">
          <MapPane view={view} theme={theme} root={root} />
          <div inert={view.store.link.state.value === "gone"}><PathStrip view={view} /></div>
          <Status view={view} />
        </div>
        <div class="nbe-panel" inert={view.store.link.state.value === "gone"}>
          <section class="nbe-section">
            <MethodSelect view={view} />
            <Controls view={view} />
            <ClassCount view={view} />
          </section>
          <section class="nbe-section">
            <ClassPalette view={view} />
            <Labeling view={view} />
          </section>
          <section class="nbe-section">
            <ColorBy view={view} />
          </section>
          <section class="nbe-section nbe-suggestions" aria-label="Suggestions">
            <SuggestionPanel view={view} />
          </section>
        </div>
      </div>
      <Help view={view} />
      <div class="nbe-spoken" role="status" aria-live="polite">{view.spoken}</div>
    </>
  );
}
