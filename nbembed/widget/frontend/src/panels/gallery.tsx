/** The images of the selected points, or of some of them, each a button that shows its point. */
import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { inline } from "../state/cards";
import type { View } from "../view/view";
import { useRoving } from "./roving";
import * as strings from "../strings";

/** Images that are shown at first, and at most. */
const [FIRST, MOST] = [15, 60];

export function Gallery({ view }: { view: View }) {
  const { imaged, selection } = view.store.traits;
  const most = useSignal(FIRST);
  const all = selection.value;
  if (!imaged.value || !all.length) return null;
  const step = Math.max(1, all.length / most.value);
  const shown = Array.from({ length: Math.min(all.length, most.value) }, (_, k) => all[Math.floor(k * step)]);
  const more = Math.min(all.length, MOST);
  return (
    <section class="nbe-section" aria-label={strings.images}>
      <div class="nbe-heading">
        <h3>{strings.images}</h3>
        {shown.length < all.length && <span class="nbe-faint nbe-note-small">{strings.someOfEvenlySpaced(shown.length, all.length.toLocaleString("en"))}</span>}
      </div>
      <Grid view={view} points={shown} />
      {shown.length < more && <button type="button" class="nbe-button" title={strings.showMoreImagesHint} onClick={() => (most.value = MOST)}>{strings.showMoreImages(more)}</button>}
    </section>
  );
}

function Grid({ view, points }: { view: View; points: readonly number[] }) {
  const list = useRef<HTMLDivElement>(null);
  const { cards, thumbnails, traits } = view.store;
  useRoving(list);
  useEffect(() => {
    thumbnails.ask(points);
    if (traits.named.peek()) cards.askNames(points);
  });
  useEffect(() => () => view.map.peek()?.hoverOver(-1), []);
  void cards.version;
  return (
    <div ref={list} class="nbe-gallery" role="list" aria-label={strings.images} onMouseLeave={() => view.map.peek()?.hoverOver(-1)}>
      {points.map((point) => {
        const image = thumbnails.get(point);
        const name = inline(cards.name(point) ?? "") || strings.point(point);
        return (
          <div key={point} role="listitem">
            <button
              type="button" class="nbe-gallery-image" aria-label={strings.openTheCard(name)} title={strings.openTheCard(name)}
              onClick={() => view.showPoint(point)} onMouseEnter={() => view.map.peek()?.hoverOver(point)}
            >
              {image ? <img src={image.src} alt="" data-small={String(Math.max(image.naturalWidth, image.naturalHeight) < 48)} /> : image === null && <span class="nbe-faint">#{point}</span>}
            </button>
          </div>
        );
      })}
    </div>
  );
}
