/**
 * Cards: what is known of a point. One follows pointer and cursor; others are kept open beside their
 * points. All that comes from the data is text in an element of its own, so that neither markup nor
 * marks of direction in it act on anything else.
 */
import { useSignal } from "@preact/signals";
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import { inline, type Card } from "../state/cards";
import { columnText, spanOf } from "../state/column_text";
import { shownCss } from "../points/contrast";
import type { PointMap } from "../map/map";
import { placeCard } from "../map/open_cards";
import { focusIsIn } from "../host/roots";
import { MOST_CARDS, type View } from "../view/view";
import type { CardNeighbor } from "../wire/wire.generated";
import { Icon } from "./icons";
import * as strings from "../strings";

/** Rows of a card that follows the pointer; one that is kept open has all. */
const ROWS = 7;
/** Milliseconds that the pointer rests on a point before its card is asked for. */
const REST = 50;
/** Pixels between the pointer's point and its card, and between the card and the edge of the map. */
const GAP = 12;
const EDGE = 4;
/** The same from a point that is asked for, past the ticks around it. */
const ASKED_GAP = 24;

/** The card of the point under pointer or cursor, or else of the one that is asked for. */
export function HoverCard({ view }: { view: View }) {
  const element = useRef<HTMLDivElement>(null);
  const map = view.map.value;
  const pointed = map?.hover.value;
  const asked = pointed ? -1 : view.questions.point.value;
  const hover = pointed ?? (map && asked >= 0 ? placeOf(view, map, asked) : null);
  const index = hover?.index ?? -1;
  // Beside the point it would cover what is drawn around it.
  const apart = view.tab.value === "why" && (view.why.lines.value || view.why.arrows.value);
  void view.store.cards.get(index); // its content decides its size, and that its place
  useEffect(() => {
    if (index < 0) return;
    const timer = setTimeout(() => view.store.cards.ask(index), asked < 0 ? REST : 0);
    return () => clearTimeout(timer);
  }, [index]);
  useLayoutEffect(() => {
    const card = element.current;
    if (!card || !map || !hover) return;
    const { clientWidth: width, clientHeight: height } = map.element;
    const { offsetWidth: w, offsetHeight: h } = card;
    if (apart) {
      card.style.left = `${hover.x > width / 2 ? EDGE : width - w - EDGE}px`;
      card.style.top = `${hover.y > height / 2 ? EDGE : height - h - EDGE}px`;
      return;
    }
    const gap = asked < 0 ? GAP : ASKED_GAP;
    const left = hover.x + gap + w > width - EDGE ? hover.x - gap - w : hover.x + gap;
    const top = hover.y - gap - h < EDGE ? hover.y + gap : hover.y - gap - h;
    card.style.left = `${Math.max(EDGE, Math.min(left, width - w - EDGE))}px`;
    card.style.top = `${Math.max(EDGE, Math.min(top, height - h - EDGE))}px`;
  });
  if (!map || !hover || view.store.traits.cards.value.includes(index)) return null;
  return (
    <div ref={element} class="nbe-tooltip" role="tooltip">
      <CardHead view={view} point={index} />
      <CardBody view={view} point={index} />
    </div>
  );
}

/** Where a point is on the map now, for what follows it as it moves. */
function placeOf({ store }: View, map: PointMap, index: number): { index: number; x: number; y: number } {
  void [store.layout.value, map.shot.value];
  const [x, y] = map.where(index);
  return { index, x, y };
}

/** The cards that are kept open, in a layer over the map. */
export function OpenCards({ view }: { view: View }) {
  const points = [...view.store.traits.cards.value.subarray(0, MOST_CARDS)];
  return (
    <div class="nbe-cards" role="group" aria-label={strings.openCards}>
      {view.map.value && points.map((point) => <OpenCard key={point} view={view} point={point} />)}
    </div>
  );
}

function OpenCard({ view, point }: { view: View; point: number }) {
  const element = useRef<HTMLDivElement>(null);
  const moved = useRef(false);
  const grip = useRef<[number, number] | null>(null);
  const card = view.store.cards.get(point);
  const box = view.cardBoxes.value.find((b) => b.point === point);
  useEffect(() => {
    view.store.cards.ask(point);
  });
  useEffect(() => () => {
    view.cardBoxes.value = view.cardBoxes.peek().filter((b) => b.point !== point);
  }, []);
  // Its size is known once it is drawn, and changes when its content comes.
  useLayoutEffect(() => {
    const map = view.map.peek();
    if (!map || !element.current || moved.current) return;
    const others = view.cardBoxes.peek().filter((b) => b.point !== point);
    const { offsetWidth: width, offsetHeight: height } = element.current;
    const size = { width: map.element.clientWidth, height: map.element.clientHeight };
    view.cardBoxes.value = [...others, placeCard(point, ...map.where(point), width, height, size, others)];
  }, [card]);
  const close = (): void => {
    if (focusIsIn(element.current)) view.map.peek()?.element.focus({ preventScroll: true });
    view.closeCard(point);
  };
  const drag = (event: PointerEvent): void => {
    const map = view.map.peek();
    if (!grip.current || !box || !map) return;
    moved.current = true;
    const [x, y] = grip.current;
    grip.current = [event.clientX, event.clientY];
    const { clientWidth, clientHeight } = map.element;
    const left = Math.max(EDGE, Math.min(box.left + event.clientX - x, clientWidth - box.width - EDGE));
    const top = Math.max(EDGE, Math.min(box.top + event.clientY - y, clientHeight - 40));
    view.cardBoxes.value = view.cardBoxes.peek().map((b) => (b.point === point ? { ...b, left, top } : b));
  };
  const name = inline(card?.name ?? "") || strings.point(point);
  return (
    <div
      ref={element}
      class="nbe-card"
      role="group"
      aria-label={strings.cardOf(name)}
      style={box ? { left: `min(${box.left}px, calc(100% - ${box.width + EDGE}px))`, top: `min(${box.top}px, calc(100% - 40px))` } : { visibility: "hidden" }}
      onKeyDown={(event) => {
        if (event.key !== "Escape") return;
        event.preventDefault();
        event.stopPropagation();
        close();
      }}
    >
      <div
        class="nbe-card-grip"
        onPointerDown={(event) => {
          if ((event.target as Element).closest("button")) return;
          grip.current = [event.clientX, event.clientY];
          event.currentTarget.setPointerCapture(event.pointerId);
        }}
        onPointerMove={drag}
        onPointerUp={() => (grip.current = null)}
        onPointerCancel={() => (grip.current = null)}
      >
        <CardHead view={view} point={point} />
        <button type="button" class="nbe-inline" aria-label={strings.closeTheCard(name)} title={strings.closeEsc} onClick={close}><Icon name="close" /></button>
      </div>
      <div class="nbe-card-scroll" tabIndex={0} role="group" aria-label={strings.content}>
        <CardBody view={view} point={point} open />
      </div>
    </div>
  );
}

/** The name of a point, and its number. */
function CardHead({ view, point }: { view: View; point: number }) {
  const card = view.store.cards.get(point);
  const pinned = view.store.traits.pinned.value.includes(point);
  return (
    <div class="nbe-card-head">
      {card?.name && <b><bdi>{card.name}</bdi></b>}
      <span class={card?.name ? "nbe-faint" : "nbe-card-number"}>#{point}</span>
      {pinned && <span class="nbe-faint">{strings.pinned}</span>}
    </div>
  );
}

function CardBody({ view, point, open = false }: { view: View; point: number; open?: boolean }) {
  const { label_codes: labels, label_confidence: confidences, classes, color_column: column, color_values: values } = view.store.traits;
  const card = view.store.cards.get(point);
  const label = classes.value[labels.value[point]];
  const { kind, title, names } = column.value;
  const value = values.value[point];
  const suggested = label || view.questions.hidden.value.has(point) ? "" : view.questions.suggestedText(point);
  const rows = card?.rows ?? [];
  const shown = open ? rows : rows.slice(0, ROWS);
  const left = (card?.leftOut ?? 0) + rows.length - shown.length;
  // The column that colors the points has a row of its own, which is there at once.
  const colored = kind === "none" || rows.some((row) => row.title === title && title !== "") ? "" : kind === "category" ? inline(names[value] ?? "", 120) : Number.isNaN(value) ? "" : columnText(column.value, value, 4, spanOf(column.value, values.value));
  return (
    <div class="nbe-card-body">
      <div class="nbe-card-top">
        {card?.image && <img class="nbe-card-image" src={card.image} alt={strings.imageOf(inline(card.name) || strings.point(point))} onLoad={(e) => (e.currentTarget.dataset.small = String(e.currentTarget.naturalHeight < 96))} />}
        <div>
          {label && <div><i class="nbe-dot" style={{ background: shownCss(label.color, view.theme.value) }} /><bdi>{inline(label.name, 80)}</bdi>{confidences.value[point] < 1 && ` · ${confidences.value[point].toFixed(2)}`}</div>}
          {suggested && <div class="nbe-faint">{strings.suggested}<bdi>{suggested}</bdi></div>}
          {colored && <div class="nbe-faint">{title && <><bdi>{title}</bdi>: </>}<bdi>{colored}</bdi></div>}
        </div>
      </div>
      {card?.problem && <p class="nbe-why">{card.problem}</p>}
      {shown.length > 0 && (
        <div class="nbe-card-rows" role="list">
          {shown.map((row, k) => (
            <div key={k} role="listitem">
              <span dir="auto" class="nbe-card-title">{row.title}</span>
              <Value text={row.text} open={open} />
            </div>
          ))}
        </div>
      )}
      {left > 0 && <p class="nbe-why">{strings.andMoreColumns(left)}</p>}
      {card && <Unusual view={view} point={point} card={card} />}
      {card && <Neighbors view={view} point={point} neighbors={card.neighbors} open={open} />}
    </div>
  );
}

/** The features in which a point is unusual, and what the labeled points near it are: not of one that is checked. */
function Unusual({ view, point, card: { high, low, labeled } }: { view: View; point: number; card: Card }) {
  const checked = view.questions.hidden.value.has(point);
  const list = (names: readonly string[]) => names.map((name, k) => <>{k > 0 && ", "}<bdi>{inline(name, 40)}</bdi></>);
  return (
    <>
      {(high.length > 0 || low.length > 0) && (
        <div class="nbe-near" title={strings.unusualFeaturesHint}>
          {high.length > 0 && <div><span class="nbe-faint">{strings.high}</span> {list(high)}</div>}
          {low.length > 0 && <div><span class="nbe-faint">{strings.low}</span> {list(low)}</div>}
        </div>
      )}
      {labeled.length > 0 && !checked && (
        <div class="nbe-near" title={strings.nearestLabeledHint}>
          <span class="nbe-faint">{strings.nearestLabeled}</span> {labeled.map(({ name, count }, k) => <>{k > 0 && ", "}{count} <bdi>{inline(name, 40)}</bdi></>)}
        </div>
      )}
    </>
  );
}

/** Letters and lines that an open card has of a cell, unless asked for more. */
const [LETTERS, LINES] = [240, 6];

/** A cell; the beginning of a long one, so that those below it are in reach. */
function Value({ text, open }: { text: string; open: boolean }) {
  const whole = useSignal(false);
  const head = text.split("\n", LINES).join("\n").slice(0, LETTERS).replace(/[\ud800-\udbff]$/, "");
  const long = open && head.length < text.length;
  return (
    <span dir="auto" class={text ? "nbe-card-value" : "nbe-card-value nbe-faint"}>
      {long && !whole.value ? `${head}… ` : text || "–"}
      {long && <button type="button" class="nbe-card-more" aria-expanded={whole.value} onClick={() => (whole.value = !whole.value)}>{whole.value ? strings.less : strings.more}</button>}
    </span>
  );
}

/** The nearest points in the data, with their distances. */
function Neighbors({ view, point: own, neighbors, open }: { view: View; point: number; neighbors: CardNeighbor[] | null; open: boolean }) {
  if (neighbors?.length === 0) return null;
  const title = <span class="nbe-faint" title={strings.nearestInTheDataHint}>{strings.nearestInTheData}</span>;
  if (!neighbors) return <div class="nbe-near">{title} <span class="nbe-faint">…</span></div>;
  const text = (distance: number): string => (distance === 0 ? "0" : distance >= 1e5 || (distance > 0 && distance < 1e-3) ? distance.toExponential(1) : distance.toPrecision(3));
  if (!open) {
    const first = neighbors[0];
    return <div class="nbe-near">{title} <bdi>{inline(first.name, 24) || `#${first.point}`}</bdi> <span class="nbe-faint">{strings.distance(text(first.distance))}</span></div>;
  }
  return (
    <div class="nbe-near">
      <span class="nbe-heading">
        {title}
        <button type="button" class="nbe-inline" aria-label={strings.selectNeighborsOf(own)} title={strings.selectNeighborsHint(view.find.k.value)} onClick={() => view.find.around(own)}><Icon name="near" /></button>
      </span>
      <ol>
        {neighbors.map(({ point, name, distance }) => (
          <li key={point}>
            <button type="button" title={strings.openTheCard(inline(name) || strings.point(point))} onClick={() => view.openCard(point)}>
              <bdi>{inline(name, 40) || `#${point}`}</bdi> <span class="nbe-faint">{strings.distance(text(distance))}</span>
            </button>
          </li>
        ))}
      </ol>
    </div>
  );
}
