/** The Explorer's layout: toolbar, map with its status, side panel, together as high as was asked for. What opens or comes besides is below them, so that the map stays under the pointer. */
import type { Signal } from "@preact/signals";
import type { Theme } from "../host/theme";
import type { View } from "../view/view";
import { ChildMap, MapPath } from "./child_maps";
import { ComparePane } from "./compare_pane";
import { Dock } from "./dock";
import { Help } from "./help";
import { MapPane } from "./map_pane";
import { Notices } from "./notices";
import { PathStrip } from "./path_strip";
import { PictureDialog } from "./picture";
import { Status } from "./status";
import { SidePanel } from "./tabs";
import { Toolbar } from "./toolbar";
import { Tour } from "./tour";

export function App({ view, theme, root }: { view: View; theme: Signal<Theme>; root: HTMLElement }) {
  const { open, shown } = view.childMaps;
  const away = open.value !== "" && shown.value !== "";
  const path = view.store.traits.child_maps.value.length > 0 && view.childMaps.possible && <MapPath view={view} />;
  return (
    <>
      {away && path}
      {open.value && <ChildMap view={view} />}
      <div class="nbe-own" hidden={away}>
        <div class="nbe-sized" style={{ "--nbe-height": `${view.store.traits.height.value}px` }}>
          <Toolbar view={view} />
          <div class="nbe-body">
            <div class="nbe-main">
              <div class="nbe-maps">
                <MapPane view={view} theme={theme} root={root} />
                <ComparePane view={view} theme={theme} />
              </div>
              <Status view={view} />
            </div>
            <SidePanel view={view} />
          </div>
        </div>
        {!away && path}
        <div inert={view.store.link.state.value === "gone"}><PathStrip view={view} /></div>
        <Dock view={view} />
        <Notices view={view} />
        <Help view={view} />
        <PictureDialog view={view} />
        <Tour view={view} />
      </div>
      <div class="nbe-spoken" role="status" aria-live="polite">{view.spoken}</div>
    </>
  );
}
