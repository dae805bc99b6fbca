/** Snapshots as a strip of thumbnails: brought onto the present map, in the present colors of the points. */
import { useSignal } from "@preact/signals";
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import { inline } from "../state/cards";
import type { View } from "../view/view";
import type { SnapshotInfo } from "../wire/wire.generated";
import { useFocusKept } from "./focus";
import { Icon } from "./icons";
import { readable } from "../state/numbers";
import * as strings from "../strings";

/** CSS pixels of a thumbnail. */
const WIDTH = 124;
const HEIGHT = 84;
const MARGIN = 5;

export function SnapshotStrip({ view }: { view: View }) {
  const { snapshots, state } = view.store.traits;
  const { thumbnails } = view.compare;
  const moving = state.value === "running";
  useEffect(() => thumbnails.ask({}, []), [snapshots.value, moving]);
  if (!snapshots.value.length) return <p class="nbe-why">{strings.snapshotsEmpty}</p>;
  const names = thumbnails.value.value?.names ?? [];
  return (
    <ul class="nbe-thumbs" aria-label={strings.snapshots}>
      {snapshots.value.map((info) => <Thumbnail key={info.name} view={view} info={info} place={names.indexOf(info.name)} />)}
    </ul>
  );
}

function Thumbnail({ view, info, place }: { view: View; info: SnapshotInfo; place: number }) {
  const { compared } = view.store.traits;
  const ref = useFocusKept<HTMLLIElement>();
  const renaming = useSignal(false);
  const name = inline(info.name, 40);
  const chosen = compared.value?.snapshot === info.name;
  const first = compared.value?.onto === info.name;
  const facts = [
    info.parameters,
    strings.iteration(info.iteration.toLocaleString("en")),
    info.cost === null ? "" : strings.cost(readable(info.cost)),
    info.quality === null ? "" : strings.oneNnKept((100 * info.quality).toFixed(1)),
    info.labeled ? strings.labeled(info.labeled.toLocaleString("en")) : "",
  ].filter(Boolean);
  const compare = (): void => (chosen ? view.compare.end() : view.compare.withSnapshot(info.name));
  return (
    <li ref={ref} class="nbe-thumb" data-chosen={chosen || first}>
      <button
        type="button" class="nbe-thumb-map" aria-label={strings.compareWithValue(name)} aria-pressed={chosen} aria-disabled={!info.drawn}
        title={info.drawn ? [info.method, ...facts].join("\n") : strings.snapshotWithoutLayoutHint} onClick={() => info.drawn && compare()}
      >
        <Picture view={view} place={place} />
      </button>
      {renaming.value
        ? <NewName view={view} info={info} done={() => (renaming.value = false)} />
        : <span class="nbe-thumb-name" dir="auto" title={strings.snapshotNameHint(name)} onDblClick={() => (renaming.value = true)}>{name}</span>}
      <span class="nbe-thumb-facts">{info.method}{info.parameters && ` · ${info.parameters}`}</span>
      <span class="nbe-thumb-facts">{info.cost === null ? "" : strings.cost(readable(info.cost))}</span>
      <span class="nbe-thumb-facts">{info.quality === null ? "" : strings.oneNnKept((100 * info.quality).toFixed(1))}</span>
      <span class="nbe-thumb-actions">
        <button type="button" class="nbe-cancel" aria-label={strings.goBackTo(name)} title={strings.goBackHint} onClick={() => view.compare.restore(info.name)}>{strings.goBack}</button>
        <button type="button" class="nbe-inline" aria-label={strings.rename(name)} title={strings.renameLabel} onClick={() => (renaming.value = true)}><Icon name="pencil" /></button>
        <button type="button" class="nbe-inline" aria-label={strings.deleteNamed(name)} title={strings.deleteSnapshotHint} onClick={() => view.compare.delete(info.name)}><Icon name="trash" /></button>
      </span>
    </li>
  );
}

/** The name of a snapshot while it is typed: Enter takes it, Esc or another place leaves it as it is. */
function NewName({ view, info, done }: { view: View; info: SnapshotInfo; done: () => void }) {
  const field = useRef<HTMLInputElement>(null);
  const ref = useFocusKept<HTMLSpanElement>();
  useLayoutEffect(() => field.current?.select(), []);
  return (
    <span ref={ref}>
      <input
        ref={field} type="text" class="nbe-text nbe-thumb-rename" dir="auto" aria-label={strings.newNameOfTheSnapshot} maxLength={60} defaultValue={info.name}
        onBlur={done}
        onKeyDown={(e) => {
          if (e.key !== "Enter" && e.key !== "Escape") return;
          e.preventDefault();
          e.stopPropagation();
          if (e.key === "Escape" || view.compare.rename(info.name, e.currentTarget.value)) done();
        }}
      />
    </span>
  );
}

function Picture({ view, place }: { view: View; place: number }) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const found = view.compare.thumbnails.value.value;
  const styles = view.map.value?.plain.value;
  useLayoutEffect(() => {
    const context = canvas.current?.getContext("2d");
    if (!context || !canvas.current) return;
    const ratio = Math.min(window.devicePixelRatio || 1, 3);
    canvas.current.width = WIDTH * ratio;
    canvas.current.height = HEIGHT * ratio;
    if (found && styles && place >= 0) drawPlaces(context, ratio, found.points, found.places.subarray(2 * place * found.points.length), styles.colors);
  }, [found, styles, place]);
  return <canvas ref={canvas} aria-hidden="true" style={{ width: `${WIDTH}px`, height: `${HEIGHT}px` }} />;
}

function drawPlaces(context: CanvasRenderingContext2D, ratio: number, points: Uint32Array, places: Uint16Array, colors: Uint8Array): void {
  let [left, right, bottom, top] = [65535, 0, 65535, 0];
  for (let k = 0; k < points.length; k++) {
    left = Math.min(left, places[2 * k]);
    right = Math.max(right, places[2 * k]);
    bottom = Math.min(bottom, places[2 * k + 1]);
    top = Math.max(top, places[2 * k + 1]);
  }
  const scale = Math.min((WIDTH - 2 * MARGIN) / Math.max(right - left, 1), (HEIGHT - 2 * MARGIN) / Math.max(top - bottom, 1));
  const side = points.length > 600 ? 1.6 : 2.2;
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  for (let k = 0; k < points.length; k++) {
    const [r, g, b, a] = colors.subarray(4 * points[k]);
    context.fillStyle = `rgb(${r} ${g} ${b} / ${a / 255})`;
    const x = WIDTH / 2 + (places[2 * k] - (left + right) / 2) * scale;
    const y = HEIGHT / 2 - (places[2 * k + 1] - (bottom + top) / 2) * scale;
    context.fillRect(x - side / 2, y - side / 2, side, side);
  }
}
