/** The marker of a class, in its color, as the map shows it. */
import { shownCss } from "../points/contrast";
import { shapePath } from "../points/shapes";
import type { View } from "../view/view";
import type { ClassInfo } from "../wire/wire.generated";

export function ClassSymbol({ view, info }: { view: View; info: Pick<ClassInfo, "color" | "symbol"> }) {
  return (
    <svg class="nbe-shape" viewBox="0 0 20 20" width="14" height="14" aria-hidden="true">
      <path d={shapePath(info.symbol)} fill={shownCss(info.color, view.theme.value)} />
    </svg>
  );
}
