/** The panel that steers: colors, classes, suggestions, method and sliders; below them what can be done with a selection. */
import type { View } from "../view/view";
import { Advanced } from "./advanced";
import { ClassPalette } from "./classes";
import { ColorBy } from "./color_by";
import { ClassCount, Controls, DataNote, MethodSelect } from "./controls";
import { GroupWalkPanel } from "./group_walk";
import { Labeling } from "./labeling";
import { SuggestionPanel } from "./suggestions";
import * as strings from "../strings";

export function Steer({ view }: { view: View }) {
  return (
    <>
      <section class="nbe-section">
        <ColorBy view={view} />
      </section>
      <section class="nbe-section">
        <ClassPalette view={view} />
        <GroupWalkPanel view={view} />
      </section>
      <section class="nbe-section nbe-suggestions" aria-label={strings.suggestions}>
        <SuggestionPanel view={view} />
      </section>
      <section class="nbe-section">
        <MethodSelect view={view} />
        <Controls view={view} />
        <ClassCount view={view} />
        <Advanced view={view} />
        <DataNote view={view} />
      </section>
      <Labeling view={view} />
    </>
  );
}
