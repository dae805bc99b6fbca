/** The panel that finds points: search, filters, neighbors, saved selections. */
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import { inline } from "../state/cards";
import { FEW } from "../state/column_search";
import { JOINS, wordBegins, type Find } from "../state/find";
import type { View } from "../view/view";
import type { FindSpace, FindStep } from "../wire/wire.generated";
import { ColumnPicker } from "./column_picker";
import { FilterCard } from "./find_filter";
import { SavedSelections } from "./find_saved";
import { useFocusKept } from "./focus";
import { Icon } from "./icons";
import { Sentence } from "./sentence";
import * as strings from "../strings";

export function FindPanel({ view }: { view: View }) {
  const { find } = view;
  const labels = view.store.traits.label_codes.value;
  useEffect(() => find.open(), []);
  const seen = useRef(labels);
  useEffect(() => {
    if (seen.current !== labels) find.relabeled();
    seen.current = labels;
  }, [labels]);
  return (
    <>
      <section class="nbe-section" aria-label={strings.searchAndFilters}>
        <Joins find={find} />
        <Search view={view} />
        <Filters view={view} />
        <Outcome view={view} />
      </section>
      <section class="nbe-section" aria-label={strings.selection}>
        <SelectionTools view={view} />
      </section>
      <section class="nbe-section" aria-label={strings.savedSelections}>
        <SavedSelections view={view} />
      </section>
    </>
  );
}

/** How what is found joins the selection. */
function Joins({ find }: { find: Find }) {
  return (
    <div class="nbe-find-joins" role="radiogroup" aria-label={strings.whatIsFound}>
      {JOINS.map(({ how, text, hint }) => (
        <label key={how} title={hint} data-on={find.how.value === how}>
          <input type="radio" aria-label={text} aria-description={hint} checked={find.how.value === how} onChange={() => find.join(how)} />
          {text}
        </label>
      ))}
    </div>
  );
}

/** Where text is searched, unless a column is chosen. */
const EVERYWHERE = strings.namesAndTexts;

/** Whether the columns, with that of the labels, are a plain menu. */
function isFew({ count }: { count: number }): boolean {
  return count <= FEW + 1;
}

function Search({ view }: { view: View }) {
  const { find } = view;
  const input = useRef<HTMLInputElement>(null);
  const wanted = find.focus.value;
  useLayoutEffect(() => {
    if (wanted) input.current?.focus({ preventScroll: true });
  }, [wanted]);
  const columns = find.columns.value.value;
  const column = find.column.value;
  return (
    <>
      <input
        ref={input} type="search" class="nbe-find-text" aria-label={strings.search} placeholder={strings.nameTextOrNumber} dir="auto"
        title={strings.searchHint} value={find.text.value}
        onInput={(e) => find.search(e.currentTarget.value)}
        onKeyDown={(e) => {
          if (e.key === "Escape" && !find.text.peek()) e.currentTarget.closest<HTMLElement>(".nbe")?.focus({ preventScroll: true });
        }}
      />
      {columns && isFew(columns) && columns.count > 1 && (
        <label class="nbe-row">
          <span class="nbe-row-name">{strings.inWord}</span>
          <select class="nbe-select" aria-label={strings.searchWhere} value={String(column)} onChange={(e) => find.searchColumn(Number(e.currentTarget.value))}>
            <option value="-1">{EVERYWHERE}</option>
            {columns.columns.map((k, at) => <option key={k} value={String(k)}>{inline(columns.titles[at], 40)}</option>)}
          </select>
        </label>
      )}
      {columns && !isFew(columns) && (
        <div class="nbe-row">
          <span class="nbe-row-name">{strings.inWord}</span>
          <ColumnPicker
            view={view} use="find" label={strings.searchWhere} shown={column < 0 ? EVERYWHERE : (find.titles.get(column) ?? "")}
            before={[{ title: "", choices: [{ value: "", text: EVERYWHERE }] }]}
            onChoose={({ value, text }) => (typeof value === "number" ? find.searchColumn(value, text) : find.searchColumn(-1))}
          />
        </div>
      )}
      <Called view={view} />
      <Hits view={view} />
    </>
  );
}

/** Columns that are called like what is typed, to color by or to find by. */
function Called({ view }: { view: View }) {
  const { find } = view;
  const called = find.called.value;
  if (!called.length) return null;
  return (
    <ul class="nbe-find-called" aria-label={strings.columnsOfThisName}>
      {called.map((each) => {
        const { column, title, color, isNumber } = each;
        return (
          <li key={column}>
            <span><bdi>{inline(title, 40)}</bdi> <span class="nbe-faint">{strings.isAColumn}</span></span>
            <span class="nbe-find-steps">
              {color !== null && <button type="button" class="nbe-button" title={strings.colorByTitle(inline(title))} onClick={() => view.colorByColumn(color)}>{strings.colorByIt}</button>}
              <button
                type="button" class="nbe-button" onClick={() => find.choose(each)}
                title={isNumber ? strings.selectHighestHint(inline(title)) : strings.chooseValuesHint(inline(title))}
              >
                {isNumber ? strings.whereItIsHigh : strings.filterByIt}
              </button>
            </span>
          </li>
        );
      })}
    </ul>
  );
}

/** The first points that were found, each a button that shows it. */
function Hits({ view }: { view: View }) {
  const { find } = view;
  const ref = useFocusKept<HTMLUListElement>();
  const wanted = find.text.value.trim();
  const hits = wanted ? (find.found.value.value?.hits ?? []) : [];
  if (!hits.length) return null;
  return (
    <ul ref={ref} class="nbe-find-hits" aria-label={strings.foundPoints}>
      {hits.map(({ point, name, title, text }) => (
        <li key={point}>
          <button type="button" title={strings.showPoint(point)} onClick={() => view.showPoint(point)}>
            <bdi class="nbe-find-name"><Marked text={inline(name) || `#${point}`} wanted={text ? "" : wanted} /></bdi>
            {text && <span class="nbe-faint"><bdi>{inline(title, 24)}</bdi>: <bdi><Marked text={inline(text, 90)} wanted={wanted} /></bdi></span>}
          </button>
        </li>
      ))}
    </ul>
  );
}

/** A text with what was looked for marked in it, where it is written alike but for case. */
function Marked({ text, wanted }: { text: string; wanted: string }) {
  const lower = text.toLowerCase();
  const whole = wanted ? text.search(wordBegins(wanted, true)) : -1;
  const at = whole >= 0 ? whole : wanted && lower.length === text.length ? lower.indexOf(wanted.toLowerCase()) : -1;
  if (at < 0) return <>{text}</>;
  const end = at + wanted.length;
  return <>{text.slice(0, at)}<mark>{text.slice(at, end)}</mark>{text.slice(end)}</>;
}

function Filters({ view }: { view: View }) {
  const { find } = view;
  const filters = find.filters.value;
  const columns = find.columns.value.value;
  const charts = find.found.value.value?.charts ?? [];
  const used = new Set(filters.map(({ column }) => column));
  return (
    <>
      {filters.length > 0 && (
        <div class="nbe-find-filters" role="group" aria-label={strings.filters}>
          {filters.map((filter) => (
            <FilterCard
              key={filter.column} find={find} filter={filter} title={find.titles.get(filter.column) ?? ""}
              chart={charts.find(({ column }) => column === filter.column)}
            />
          ))}
        </div>
      )}
      {columns && !isFew(columns) ? (
        <ColumnPicker
          view={view} use="find" label={strings.addAFilter} title={strings.filterByHint} placeholder={strings.filterBy} skipped={used}
          onChoose={({ value, text }) => find.addFilter(Number(value), text)}
        />
      ) : <select
        class="nbe-select nbe-find-add" aria-label={strings.addAFilter} title={strings.filterByHint} value=""
        onChange={(e) => {
          const column = Number(e.currentTarget.value);
          e.currentTarget.value = "";
          find.addFilter(column);
        }}
      >
        <option value="" disabled>{strings.filterBy}</option>
        {columns?.columns.map((k, at) => used.has(k) ? null : <option key={k} value={String(k)}>{inline(columns.titles[at], 40)}</option>)}
      </select>}
    </>
  );
}

/** How many points are found, or why none. */
function Outcome({ view }: { view: View }) {
  const { find } = view;
  const ref = useFocusKept<HTMLDivElement>();
  const error = find.found.error.value;
  if (error) return <p class="nbe-why nbe-find-error" role="alert">{inline(error, 200)}</p>;
  const answer = find.found.value.value;
  const pending = find.found.pending.value;
  if (!(answer || pending) || !find.active()) return null;
  const count = answer?.found.length ?? 0;
  return (
    <div ref={ref} class="nbe-row" data-pending={pending}>
      <span class="nbe-find-count" role="status">
        {pending ? strings.searching : <Sentence parts={strings.found(count.toLocaleString("en"), view.store.traits.n_samples.value.toLocaleString("en"))} />}
      </span>
      <button type="button" class="nbe-button nbe-find-clear" title={strings.clearFindHint} onClick={() => find.clear()}>{strings.clear}</button>
    </div>
  );
}

const STEPS: readonly { step: FindStep; text: string; hint: string }[] = [
  { step: "neighbors", text: strings.neighbors, hint: strings.neighborsHint },
  { step: "grow", text: strings.grow, hint: strings.growHint },
  { step: "shrink", text: strings.shrink, hint: strings.shrinkHint },
];

function SelectionTools({ view }: { view: View }) {
  const { find } = view;
  const count = view.store.traits.selection.value.length;
  const error = find.near.error.value;
  return (
    <>
      <div class="nbe-heading">
        <h3>{strings.selection}</h3>
        <span class="nbe-faint">{strings.selected(count.toLocaleString("en"))}</span>
      </div>
      <div class="nbe-row">
        <label class="nbe-row" title={strings.numberOfNeighborsHint}>
          <span class="nbe-row-name">{strings.nearest}</span>
          <input
            type="number" class="nbe-number nbe-find-k" aria-label={strings.numberOfNeighbors} min={1} max={1000} step={1} value={find.k.value}
            onChange={(e) => {
              const k = e.currentTarget.valueAsNumber;
              if (Number.isInteger(k) && k >= 1 && k <= 1000) find.k.value = k;
              else e.currentTarget.value = String(find.k.peek());
            }}
          />
        </label>
        <select class="nbe-select" aria-label={strings.neighborsIn} title={strings.neighborsInHint} value={find.space.value} onChange={(e) => (find.space.value = e.currentTarget.value as FindSpace)}>
          <option value="data">{strings.inTheData}</option>
          <option value="map">{strings.onTheMap}</option>
        </select>
      </div>
      <div class="nbe-find-steps">
        {STEPS.map(({ step, text, hint }) => (
          <button key={step} type="button" class="nbe-button" aria-disabled={!count} title={count ? hint : strings.selectPointsFirst} onClick={() => find.step(step)}>{text}</button>
        ))}
      </div>
      <div class="nbe-find-steps">
        <button type="button" class="nbe-button" title={strings.invertHint} onClick={() => find.invert()}>{strings.invert}</button>
        <button
          type="button" class="nbe-button" aria-label={strings.backSpoken} aria-disabled={!find.earlier.value.length} title={strings.backHint}
          onClick={() => find.back()}
        >
          <Icon name="undo" />{strings.back}
        </button>
      </div>
      {find.near.pending.value && <p class="nbe-why">{strings.searchingNeighbors}</p>}
      {error && <p class="nbe-why nbe-find-error" role="alert">{inline(error, 200)}</p>}
      {view.tool.value === "brush" && <BrushSize view={view} />}
    </>
  );
}

const [SMALLEST, LARGEST] = [4, 60];

function BrushSize({ view }: { view: View }) {
  const radius = view.brush.value;
  return (
    <label class="nbe-row" title={strings.radiusOfTheBrushInPixels}>
      <span class="nbe-row-name">{strings.brush}</span>
      <input
        type="range" class="nbe-range" aria-label={strings.radiusOfTheBrush} min={SMALLEST} max={LARGEST} step={1} value={radius}
        style={{ "--nbe-filled": `${(100 * (radius - SMALLEST)) / (LARGEST - SMALLEST)}%` }}
        onInput={(e) => (view.brush.value = e.currentTarget.valueAsNumber)}
      />
      <span class="nbe-value">{radius}</span>
    </label>
  );
}
