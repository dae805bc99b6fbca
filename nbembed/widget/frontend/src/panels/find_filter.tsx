/** A filter: the histogram of a column, and the range or the categories that pass. */
import { useRef } from "preact/hooks";
import { inline } from "../state/cards";
import type { Find } from "../state/find";
import type { FindChart, FindFilter } from "../wire/wire.generated";
import { Icon } from "./icons";
import { minus, readable } from "../state/numbers";
import * as strings from "../strings";

interface FilterProps {
  find: Find;
  filter: FindFilter;
  chart: FindChart;
}

export function FilterCard({ find, filter, title, chart }: { find: Find; filter: FindFilter; title: string; chart: FindChart | undefined }) {
  const name = inline(title, 60);
  return (
    <div class="nbe-find-filter" role="group" aria-label={strings.filterByValue(name)}>
      <div class="nbe-heading">
        <h3 title={name}><bdi>{name}</bdi></h3>
        <button type="button" class="nbe-inline" aria-label={strings.removeTheFilter(name)} title={strings.removeThisFilter} onClick={() => find.removeFilter(filter.column)}><Icon name="close" /></button>
      </div>
      {!chart && <p class="nbe-why">…</p>}
      {chart && (chart.kind === "number" || chart.kind === "time") && <Range find={find} filter={filter} chart={chart} />}
      {chart?.kind === "category" && <Categories find={find} filter={filter} chart={chart} />}
      {chart?.kind === "text" && <Contains find={find} filter={filter} chart={chart} />}
    </div>
  );
}

const [WIDTH, HEIGHT] = [240, 44];

/** Bars of numbers; dragging over them chooses a range, a double click takes it back. */
function Range({ find, filter, chart }: FilterProps) {
  const from = useRef<number | null>(null);
  const { low, high, step, totals, counts, column } = chart;
  if (!totals.length) return <p class="nbe-why">{strings.noValues}</p>;
  // Of whole numbers, a bar reaches to the first one of the next.
  const span = step ? step * totals.length : high - low;
  const most = Math.max(1, ...totals);
  const share = (value: number): number => (span > 0 ? Math.min(1, Math.max(0, (value - low) / span)) : 0.5);
  const at = (event: PointerEvent & { currentTarget: Element }): number => {
    const box = event.currentTarget.getBoundingClientRect();
    return Math.min(1, Math.max(0, (event.clientX - box.left) / box.width));
  };
  const choose = (a: number, b: number): void => {
    const [left, right] = [Math.min(a, b), Math.max(a, b)];
    const [first, last] = step
      ? [low + step * Math.floor(left * totals.length), low + step * Math.ceil(right * totals.length) - 1]
      : [round(low + left * span, span), round(low + right * span, span)];
    find.setFilter(column, { low: left <= 0 || first <= low ? null : first, high: right >= 1 || last >= high ? null : last });
  };
  const [left, right] = [filter.low === null ? 0 : share(filter.low), filter.high === null ? 1 : share(filter.high + (step ? 1 : 0))];
  const limited = filter.low !== null || filter.high !== null;
  const bar = WIDTH / totals.length;
  const rects = (values: number[], kind: string) => values.map((value, k) => {
    const height = value ? Math.max(1, (HEIGHT * value) / most) : 0;
    const middle = (k + 0.5) / totals.length;
    return <rect key={`${kind}${k}`} class={kind} data-out={middle < left || middle > right} x={k * bar + 0.5} width={Math.max(bar - 1, 1)} y={HEIGHT - height} height={height} />;
  });
  return (
    <>
      <svg
        class="nbe-find-bars" viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" role="img"
        aria-label={strings.histogramOf(inline(chart.title), show(low, chart), show(high, chart))}
        onPointerDown={(e) => {
          e.currentTarget.setPointerCapture(e.pointerId);
          from.current = at(e);
        }}
        onPointerMove={(e) => from.current !== null && Math.abs(at(e) - from.current) > 0.01 && choose(from.current, at(e))}
        onPointerUp={() => (from.current = null)}
        onPointerCancel={() => (from.current = null)}
        onDblClick={() => find.setFilter(column, { low: null, high: null })}
      >
        <title>{strings.histogramHint}</title>
        {rects(totals, "nbe-find-all")}
        {rects(counts, "nbe-find-some")}
        {limited && <rect class="nbe-find-range" x={left * WIDTH} width={Math.max(1, (right - left) * WIDTH)} y={0} height={HEIGHT} />}
      </svg>
      {chart.kind === "time" && <div class="nbe-find-ends" aria-hidden="true"><span>{day(low)}</span><span>{day(high)}</span></div>}
      <div class="nbe-find-limits">
        <Limit chart={chart} name={strings.lowerLimit} value={filter.low} bound={low} onChange={(value) => find.setFilter(column, { low: value })} />
        <span aria-hidden="true">–</span>
        <Limit chart={chart} name={strings.upperLimit} value={filter.high} bound={high} onChange={(value) => find.setFilter(column, { high: value })} />
      </div>
      {chart.missing > 0 && <p class="nbe-why">{strings.withoutValueLeftOut(chart.missing.toLocaleString("en"))}</p>}
    </>
  );
}

const DAY = 86_400;

function Limit({ chart, name, value, bound, onChange }: { chart: FindChart; name: string; value: number | null; bound: number; onChange: (value: number | null) => void }) {
  const label = `${name}, ${inline(chart.title)}`;
  if (chart.kind === "time") {
    const last = name === strings.upperLimit;
    return (
      <input
        type="date" class="nbe-number" aria-label={label} value={day(value)} title={value === null ? strings.noLimit(day(bound)) : ""}
        onChange={(e) => {
          const seconds = Date.parse(e.currentTarget.value) / 1000;
          onChange(Number.isFinite(seconds) ? seconds + (last ? DAY - 1e-6 : 0) : null);
        }}
      />
    );
  }
  return (
    <input
      type="number" step="any" class="nbe-number" aria-label={label} value={value ?? ""} placeholder={show(bound, chart)} title={strings.emptyNoLimit}
      onChange={(e) => onChange(Number.isFinite(e.currentTarget.valueAsNumber) ? e.currentTarget.valueAsNumber : null)}
    />
  );
}

/** A check box with a bar for each category; none checked lets all pass. */
function Categories({ find, filter, chart }: FilterProps) {
  const { codes, names, totals, counts, column } = chart;
  const chosen = new Set(filter.categories ?? []);
  const most = Math.max(1, ...totals);
  const toggle = (code: number): void => {
    if (!chosen.delete(code)) chosen.add(code);
    find.setFilter(column, { categories: chosen.size ? [...chosen].sort((a, b) => a - b) : null });
  };
  return (
    <>
      <div class="nbe-find-categories">
        {codes.map((code, k) => {
          const name = code < 0 ? strings.missing : inline(names[k]) || strings.blank;
          return (
            <label key={code} title={strings.partOf(counts[k].toLocaleString("en"), totals[k].toLocaleString("en"))} data-out={chosen.size > 0 && !chosen.has(code)}>
              <input type="checkbox" aria-label={name} checked={chosen.has(code)} onChange={() => toggle(code)} />
              <bdi data-missing={code < 0}>{name}</bdi>
              <i aria-hidden="true"><i style={{ width: `${(100 * totals[k]) / most}%` }} /><b style={{ width: `${(100 * counts[k]) / most}%` }} /></i>
              <span class="nbe-faint">{counts[k].toLocaleString("en")}</span>
            </label>
          );
        })}
      </div>
      {chart.left_out > 0 && <p class="nbe-why">{strings.rarerValues(chart.left_out)}</p>}
    </>
  );
}

/** Text whose values differ from point to point: what it contains. */
function Contains({ find, filter, chart }: FilterProps) {
  return (
    <input
      type="search" class="nbe-find-text" aria-label={strings.containedIn(inline(chart.title))} placeholder={strings.contains} dir="auto" value={filter.text}
      onInput={(e) => find.setFilter(chart.column, { text: e.currentTarget.value })}
    />
  );
}

/** A limit in as many digits as a pixel of the histogram is worth. */
function round(value: number, span: number): number {
  const step = 10 ** Math.floor(Math.log10(span / 200));
  const digits = Math.max(0, Math.min(20, -Math.log10(step)));
  return Number.isFinite(step) && step > 0 ? Number((Math.round(value / step) * step).toFixed(Math.round(digits))) : value;
}

function show(value: number, { kind, step }: FindChart): string {
  return kind === "time" ? day(value) : step && Math.abs(value) < 1e7 ? minus(String(value)) : value ? readable(value) : "0";
}

/** Seconds since 1970 as a date; "" where there is none. */
function day(seconds: number | null): string {
  const date = seconds === null ? null : new Date(1000 * seconds);
  return date && !Number.isNaN(date.getTime()) ? date.toISOString().slice(0, 10) : "";
}
