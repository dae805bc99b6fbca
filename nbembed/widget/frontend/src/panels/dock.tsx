/** What is too wide for the side panel opens below the map, one at a time. */
import type { ComponentType } from "preact";
import type { View } from "../view/view";
import { SnapshotStrip } from "./compare_strip";
import { useFocusKept } from "./focus";
import { Icon } from "./icons";
import { LabelsDock, RowsDock } from "./rows";
import * as strings from "../strings";

interface Wide {
  name: string;
  title: string;
  Panel: ComponentType<{ view: View }>;
}

const DOCKS: readonly Wide[] = [
  { name: "rows", title: strings.rows, Panel: RowsDock },
  { name: "labels", title: strings.labelTable, Panel: LabelsDock },
  { name: "compare", title: strings.snapshots, Panel: SnapshotStrip },
];

export function Dock({ view }: { view: View }) {
  const open = DOCKS.find(({ name }) => name === view.dock.value);
  return open ? <Open key={open.name} view={view} wide={open} /> : null;
}

function Open({ view, wide: { title, Panel } }: { view: View; wide: Wide }) {
  const ref = useFocusKept<HTMLElement>();
  return (
    <section ref={ref} class="nbe-dock" aria-label={title}>
      <div class="nbe-heading">
        <h3>{title}</h3>
        <button type="button" class="nbe-inline" aria-label={strings.close(title)} title={strings.closeLabel} onClick={() => (view.dock.value = "")}><Icon name="close" /></button>
      </div>
      <Panel view={view} />
    </section>
  );
}
