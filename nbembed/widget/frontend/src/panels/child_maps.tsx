/** Another map in place of the map, and the way between them. */
import { useLayoutEffect } from "preact/hooks";
import { inline } from "../state/cards";
import type { View } from "../view/view";
import { useFocusKept } from "./focus";
import { Icon } from "./icons";
import * as strings from "../strings";

/** The map of all points and those of some, of which one is shown. */
export function MapPath({ view }: { view: View }) {
  const ref = useFocusKept<HTMLElement>();
  const { childMaps, store } = view;
  const { child_maps: maps, n_samples: n } = store.traits;
  const open = childMaps.open.value;
  return (
    <nav ref={ref} class="nbe-path-of-maps" aria-label={strings.maps}>
      <button type="button" class="nbe-map-name" aria-current={open ? undefined : "page"} title={open ? strings.backToAllPointsHint : strings.thisMap} onClick={() => open && childMaps.leave()}>
        {strings.all(strings.count(n.value))}
      </button>
      {maps.value.map(({ widget, name, new: added, prepared, place }) => (
        <span key={place} class="nbe-child-name">
          <Icon name="more" />
          <button type="button" class="nbe-map-name" aria-current={widget === open ? "page" : undefined} title={widget === open ? strings.thisMap : added ? strings.openMapWithRows : prepared ? strings.openMapPrepared : strings.openMapOfPoints} onClick={() => childMaps.show(widget)}>
            {inline(name)}
          </button>
          <button type="button" class="nbe-inline" aria-label={(added || prepared ? strings.closeMapWith : strings.closeMapOf)(inline(name))} title={added ? strings.closeMapWithRowsHint : strings.closeMapHint} onClick={() => childMaps.close(widget)}><Icon name="close" /></button>
        </span>
      ))}
    </nav>
  );
}

/** The open map, in an element that its own Explorer fills. */
export function ChildMap({ view }: { view: View }) {
  const ref = useFocusKept<HTMLDivElement>();
  const open = view.childMaps.open.value;
  useLayoutEffect(() => () => view.childMaps.unmount(), []);
  useLayoutEffect(() => void view.childMaps.mount(ref.current!), [open]);
  return <div ref={ref} />;
}
