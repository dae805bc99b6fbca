/** The figure that the user has given, as it was then. */
import { useLayoutEffect, useMemo } from "preact/hooks";
import { inline, pictureUrl } from "../state/cards";
import { Answers } from "../wire/queries";
import type { View } from "../view/view";
import * as strings from "../strings";

export function MinePanel({ view }: { view: View }) {
  const number = view.store.traits.own_figure.value;
  const figure = useMemo(() => new Answers(view.store.queries, "own_figure"), []);
  useLayoutEffect(() => figure.ask({}, []), [number]);
  const found = figure.value.value;
  const error = figure.error.value;
  return (
    <section class="nbe-section" aria-label={strings.mine} aria-busy={figure.pending.value}>
      {found && <img class="nbe-mine" src={pictureUrl(found.picture, found.svg ? "image/svg+xml" : "image/png")} alt={strings.mineAlt} />}
      {error && <p class="nbe-why" role="alert">{inline(error, 300)}</p>}
    </section>
  );
}
