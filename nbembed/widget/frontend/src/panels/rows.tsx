/**
 * The points, or their labels, as rows of a table below the map. Only the rows in view are there; they are all of one
 * height, so that their places are known without measuring.
 */
import { useSignal } from "@preact/signals";
import { useEffect, useLayoutEffect, useMemo, useRef } from "preact/hooks";
import { inline, plain } from "../state/cards";
import { clock, WHO } from "../state/origin";
import type { Rows } from "../state/rows";
import type { View } from "../view/view";
import type { RowColumn, RowTable } from "../wire/wire.generated";
import { ClassSymbol } from "./class_symbol";
import { Icon } from "./icons";
import { useOwnId } from "./own_id";
import { useWatch } from "./watch";
import * as strings from "../strings";

/** Height of a row, and of the rows in view, in pixels; as in group.css. */
const ROW = 24;
const VIEW = 240;
/** Rows above and below those in view. */
const SPARE = 6;
/** Browsers do not lay out what is much higher; the scroll bar of more rows is coarser. */
const TALLEST = 8_000_000;

type Widths = Record<RowColumn["kind"], string>;

const WIDTHS: Record<RowTable, Widths> = {
  data: {
    point: "72px",
    name: "minmax(140px, 1fr)",
    label: "minmax(110px, 0.8fr)",
    number: "minmax(92px, 1fr)",
    text: "minmax(140px, 1.6fr)",
    source: "minmax(92px, 1fr)",
    time: "minmax(110px, 1fr)",
  },
  // Names of points and of classes may be long, the other texts are words.
  labels: {
    point: "60px",
    name: "minmax(110px, 1.4fr)",
    label: "minmax(120px, 1.4fr)",
    number: "minmax(92px, 0.5fr)",
    text: "minmax(70px, 0.6fr)",
    source: "minmax(84px, 0.5fr)",
    time: "minmax(110px, 0.6fr)",
  },
};

export function RowsDock({ view }: { view: View }) {
  const n = view.store.traits.n_samples.value;
  return <Dock view={view} rows={view.group.rows} all={strings.all(n.toLocaleString("en"))} />;
}

/** The labels as data: of each labeled point its class, how sure it is, and who gave it, how and when. */
export function LabelsDock({ view }: { view: View }) {
  const codes = view.store.traits.label_codes.value;
  const labeled = useMemo(() => codes.reduce((sum, code) => sum + Number(code >= 0), 0), [codes]);
  return <Dock view={view} rows={view.group.labels} all={strings.all(labeled.toLocaleString("en"))} />;
}

function Dock({ view, rows, all }: { view: View; rows: Rows; all: string }) {
  useWatch(() => rows.watch());
  const { selection } = view.store.traits;
  const answer = rows.order.value.value;
  const scope = rows.scope.value;
  const listed = rows.listed.value.length;
  const chosen = selection.value.length;
  // A selection made in the table leaves the list as it is.
  const among = scope === "selected" && listed !== chosen ? strings.ofListed(strings.count(listed, "row")) : "";
  const choices = [["selected", strings.selectedLabel], ["all", all]] as const;
  return (
    <div class="nbe-rows" data-pending={rows.order.pending.value}>
      <div class="nbe-rows-head">
        <div class="nbe-switch nbe-scope" role="group" aria-label={strings.rows}>
          {choices.map(([name, text]) => (
            <button key={name} type="button" class="nbe-tool nbe-scope-choice" aria-pressed={scope === name} onClick={() => rows.list(name)}>{text}</button>
          ))}
        </div>
        <span class="nbe-why">{strings.rowsSelected(chosen.toLocaleString("en"), among)}{answer && answer.left_out > 0 && strings.moreColumns(answer.left_out)}</span>
        <span class="nbe-why nbe-rows-hint">{strings.rowHint}</span>
      </div>
      {rows.order.error.value && <p class="nbe-why">{inline(rows.order.error.value, 300)}</p>}
      {scope === "selected" && !listed
        ? <p class="nbe-why">{strings.rowsEmpty}</p>
        : answer && rows.table === "labels" && !answer.order.length
          ? <p class="nbe-why">{strings.labelTableEmpty}</p>
          : answer && <Grid view={view} rows={rows} columns={answer.columns} />}
    </div>
  );
}

function Grid({ view, rows, columns }: { view: View; rows: Rows; columns: RowColumn[] }) {
  const id = useOwnId();
  const scroller = useRef<HTMLDivElement>(null);
  const top = useSignal(0);
  const height = useSignal(VIEW);
  const points = rows.points;
  const selection = view.store.traits.selection.value;
  const selected = useMemo(() => marks(selection, view.store.traits.n_samples.peek()), [selection]);
  const whole = points.length * ROW;
  const scale = Math.min(1, TALLEST / Math.max(whole, 1));
  const first = Math.max(0, Math.floor(top.value / scale / ROW) - SPARE);
  const end = Math.min(points.length, Math.ceil(top.value / scale / ROW + height.value / ROW) + SPARE);
  const active = rows.active.value;
  useEffect(() => rows.read(first, end), [first, end, points]);
  // A new order is read from its beginning.
  useLayoutEffect(() => {
    scroller.current?.scrollTo({ top: 0 });
    top.value = 0;
  }, [rows.sorted.value, rows.scope.value, rows.listed.value]);
  useEffect(() => {
    const element = scroller.current;
    if (!element) return;
    const observer = new ResizeObserver(() => (height.value = element.clientHeight - ROW));
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  useEffect(() => () => view.map.peek()?.hoverOver(-1), []);

  /** Make a row the active one, and bring it into view. */
  const go = (row: number, extend: boolean): void => {
    const to = Math.max(0, Math.min(points.length - 1, row));
    if (extend) rows.choose(to, "extend");
    else rows.active.value = to;
    const element = scroller.current;
    if (!element || to < 0) return;
    const y = to * ROW;
    const from = element.scrollTop / scale;
    if (y < from) element.scrollTop = y * scale;
    else if (y + ROW > from + height.value) element.scrollTop = (y + ROW - height.value) * scale;
    view.map.peek()?.hoverOver(points[to]);
    const cells = rows.cellsOf(points[to]);
    if (!extend) view.say(strings.rowSpoken(to + 1, points.length, selected[points[to]] ? strings.rowSelectedSpoken : "", points[to], cells ? `: ${spoken(columns, cells)}` : ""));
  };
  const keys = (event: KeyboardEvent): void => {
    if (event.altKey) return;
    const page = Math.max(1, Math.floor(height.value / ROW) - 1);
    const to = { ArrowDown: active + 1, ArrowUp: active - 1, PageDown: active + page, PageUp: active - page, Home: 0, End: points.length - 1 }[event.key];
    if (to !== undefined) go(to, event.shiftKey);
    else if (event.key === " ") rows.choose(active, "toggle");
    else if (event.key === "a" && (event.ctrlKey || event.metaKey)) rows.chooseAll();
    else return; // the other keys do what they do everywhere
    event.preventDefault();
    event.stopPropagation();
  };
  const widths = WIDTHS[rows.table];
  const template = columns.map(({ kind }) => widths[kind]).join(" ");
  const shown = Array.from({ length: Math.max(0, end - first) }, (_, k) => first + k);
  return (
    <div
      ref={scroller} class="nbe-scroll" role="grid" tabIndex={0} aria-label={strings.partOf(rows.table === "labels" ? strings.labels : strings.rows, strings.count(points.length))} aria-multiselectable="true"
      aria-rowcount={points.length + 1} aria-colcount={columns.length} aria-activedescendant={active >= first && active < end ? `${id}-${active}` : undefined}
      aria-description={strings.tableKeys}
      style={{ "--nbe-columns": template, "--nbe-rows-width": `${columns.reduce((sum, { kind }) => sum + least(widths[kind]), 0)}px` }}
      onScroll={(e) => (top.value = e.currentTarget.scrollTop)}
      onKeyDown={keys}
      onMouseLeave={() => view.map.peek()?.hoverOver(-1)}
    >
      <div class="nbe-table-head" role="row" aria-rowindex={1}>
        {columns.map((column, k) => <Header key={k} rows={rows} column={column} index={k} />)}
      </div>
      <div class="nbe-table-body" role="rowgroup" style={{ height: `${whole * scale}px` }}>
        {shown.map((row) => {
          const y = scale === 1 ? row * ROW : top.value + row * ROW - top.value / scale;
          return <Row key={row} view={view} rows={rows} id={`${id}-${row}`} row={row} point={points[row]} columns={columns} y={y} selected={selected[points[row]] === 1} active={row === active} />;
        })}
      </div>
    </div>
  );
}

/** One for each of these points, zero for the others. */
function marks(points: Uint32Array, n: number): Uint8Array {
  const found = new Uint8Array(n);
  for (const point of points) found[point] = 1;
  return found;
}

/** The least width of a column in pixels. */
function least(width: string): number {
  return Number(/\d+(?=px)/.exec(width)?.[0]);
}

/** Arrow keys move between headers, of which one can be reached by Tab. */
function Header({ rows, column: { title, kind }, index }: { rows: Rows; column: RowColumn; index: number }) {
  const { column, descending } = rows.sorted.value;
  const sorted = column === index;
  const move = (event: KeyboardEvent & { currentTarget: HTMLElement }): void => {
    const cell = event.currentTarget.parentElement;
    const to = { ArrowLeft: cell?.previousElementSibling, ArrowRight: cell?.nextElementSibling }[event.key];
    if (to === undefined && event.key !== " ") return;
    to?.querySelector("button")?.focus();
    event.stopPropagation(); // space is the button's own
    if (to !== undefined) event.preventDefault();
  };
  const name = inline(title) || strings.column;
  return (
    <div role="columnheader" aria-colindex={index + 1} aria-sort={sorted ? (descending ? "descending" : "ascending") : "none"} data-kind={kind}>
      <button type="button" class="nbe-sort" tabIndex={sorted ? 0 : -1} title={strings.sortByValue(name)} onClick={() => rows.sortBy(index)} onKeyDown={move}>
        <span dir="auto">{plain(title) || "–"}</span>{sorted && <Icon name={descending ? "down" : "up"} />}
      </button>
    </div>
  );
}

interface RowProps {
  view: View;
  rows: Rows;
  id: string;
  row: number;
  point: number;
  columns: RowColumn[];
  y: number;
  selected: boolean;
  active: boolean;
}

function Row({ view, rows, id, row, point, columns, y, selected, active }: RowProps) {
  const { label_codes: labels, label_confidence: confidences, classes } = view.store.traits;
  const cells = rows.cellsOf(point);
  const label = classes.value[labels.value[point]];
  const sure = confidences.value[point];
  return (
    <div
      role="row" id={id} class="nbe-table-row" aria-rowindex={row + 2} aria-selected={selected} data-active={active}
      style={{ transform: `translateY(${y}px)` }}
      onClick={(e) => rows.choose(row, e.shiftKey ? "extend" : e.ctrlKey || e.metaKey ? "toggle" : "replace")}
      onDblClick={() => view.openCard(point)}
      onMouseEnter={() => view.map.peek()?.hoverOver(point)}
    >
      {columns.map(({ kind }, k) => (
        <div key={k} role="gridcell" aria-colindex={k + 1} data-kind={kind} dir={kind === "text" || kind === "name" ? "auto" : undefined} title={kind === "text" && cells?.[k] ? inline(cells[k], 200) : undefined}>
          {kind === "point" ? point : kind === "label" ? label && <><ClassSymbol view={view} info={label} /> <bdi>{inline(label.name)}</bdi>{sure < 1 && rows.table === "data" && <span class="nbe-faint"> · {sure.toFixed(2)}</span>}</> : cells ? shown(kind, cells[k]) : "…"}
        </div>
      ))}
    </div>
  );
}

/** A cell as it is read: times are in the hours of the page's place. */
function shown(kind: RowColumn["kind"], cell: string): string {
  if (!cell) return "";
  return kind === "source" ? (WHO[cell] ?? cell) : kind === "time" ? clock(Date.parse(cell)) : plain(cell);
}

/** The cells of a row as a screen reader says them. */
function spoken(columns: RowColumn[], cells: string[]): string {
  return columns.map(({ title, kind }, k) => (cells[k] ? `${inline(title)} ${inline(shown(kind, cells[k]))}` : "")).filter(Boolean).slice(0, 6).join(", ");
}
