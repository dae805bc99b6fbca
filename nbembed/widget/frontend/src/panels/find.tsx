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
      <section class="nbe-section" aria-label="Search and filters">
        <Joins find={find} />
        <Search view={view} />
        <Filters view={view} />
        <Outcome view={view} />
      </section>
      <section class="nbe-section" aria-label="Selection">
        <SelectionTools view={view} />
      </section>
      <section class="nbe-section" aria-label="Saved selections">
        <SavedSelections view={view} />
      </section>
    </>
  );
}

/** How what is found joins the selection. */
function Joins({ find }: { find: Find }) {
  return (
    <div class="nbe-find-joins" role="radiogroup" aria-label="What is found">
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
const EVERYWHERE = "names and texts";

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
        ref={input} type="search" class="nbe-find-text" aria-label="Search" placeholder="Name, text or #number" dir="auto"
        title="Points that have this text in their name or in a column (/)" value={find.text.value}
        onInput={(e) => find.search(e.currentTarget.value)}
        onKeyDown={(e) => {
          if (e.key === "Escape" && !find.text.peek()) e.currentTarget.closest<HTMLElement>(".nbe")?.focus({ preventScroll: true });
        }}
      />
      {columns && isFew(columns) && columns.count > 1 && (
        <label class="nbe-row">
          <span class="nbe-row-name">in</span>
          <select class="nbe-select" aria-label="Search in" value={String(column)} onChange={(e) => find.searchColumn(Number(e.currentTarget.value))}>
            <option value="-1">{EVERYWHERE}</option>
            {columns.columns.map((k, at) => <option key={k} value={String(k)}>{inline(columns.titles[at], 40)}</option>)}
          </select>
        </label>
      )}
      {columns && !isFew(columns) && (
        <div class="nbe-row">
          <span class="nbe-row-name">in</span>
          <ColumnPicker
            view={view} use="find" label="Search in" shown={column < 0 ? EVERYWHERE : (find.titles.get(column) ?? "")}
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
    <ul class="nbe-find-called" aria-label="Columns of this name">
      {called.map((each) => {
        const { column, title, color, isNumber } = each;
        return (
          <li key={column}>
            <span><bdi>{inline(title, 40)}</bdi> <span class="nbe-faint">is a column</span></span>
            <span class="nbe-find-steps">
              {color !== null && <button type="button" class="nbe-button" title={`Color by ${inline(title)}`} onClick={() => view.colorByColumn(color)}>Color by it</button>}
              <button
                type="button" class="nbe-button" onClick={() => find.choose(each)}
                title={isNumber ? `Select the tenth of the points with the highest values of ${inline(title)}; the histogram moves the limit` : `Choose among the values of ${inline(title)}`}
              >
                {isNumber ? "Where it is high" : "Filter by it"}
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
    <ul ref={ref} class="nbe-find-hits" aria-label="Found points">
      {hits.map(({ point, name, title, text }) => (
        <li key={point}>
          <button type="button" title={`Show point ${point}`} onClick={() => view.showPoint(point)}>
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
        <div class="nbe-find-filters" role="group" aria-label="Filters">
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
          view={view} use="find" label="Add a filter" title="Choose points by the values of a column" placeholder="Filter by …" skipped={used}
          onChoose={({ value, text }) => find.addFilter(Number(value), text)}
        />
      ) : <select
        class="nbe-select nbe-find-add" aria-label="Add a filter" title="Choose points by the values of a column" value=""
        onChange={(e) => {
          const column = Number(e.currentTarget.value);
          e.currentTarget.value = "";
          find.addFilter(column);
        }}
      >
        <option value="" disabled>Filter by …</option>
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
        {pending ? "searching …" : <><b>{count.toLocaleString("en")}</b> of {view.store.traits.n_samples.value.toLocaleString("en")} found</>}
      </span>
      <button type="button" class="nbe-button nbe-find-clear" title="Take back text and limits; what was selected before is selected again" onClick={() => find.clear()}>Clear</button>
    </div>
  );
}

const STEPS: readonly { step: FindStep; text: string; hint: string }[] = [
  { step: "neighbors", text: "Neighbors", hint: "Select the nearest neighbors of each selected point" },
  { step: "grow", text: "Grow", hint: "Add the nearest neighbors of each selected point" },
  { step: "shrink", text: "Shrink", hint: "Keep the points whose nearest neighbors are all selected" },
];

function SelectionTools({ view }: { view: View }) {
  const { find } = view;
  const count = view.store.traits.selection.value.length;
  const error = find.near.error.value;
  return (
    <>
      <div class="nbe-heading">
        <h3>Selection</h3>
        <span class="nbe-faint">{count.toLocaleString("en")} selected</span>
      </div>
      <div class="nbe-row">
        <label class="nbe-row" title="Neighbors that are looked at, of each point">
          <span class="nbe-row-name">Nearest</span>
          <input
            type="number" class="nbe-number nbe-find-k" aria-label="Number of neighbors" min={1} max={1000} step={1} value={find.k.value}
            onChange={(e) => {
              const k = e.currentTarget.valueAsNumber;
              if (Number.isInteger(k) && k >= 1 && k <= 1000) find.k.value = k;
              else e.currentTarget.value = String(find.k.peek());
            }}
          />
        </label>
        <select class="nbe-select" aria-label="Neighbors in" title="Where points are neighbors" value={find.space.value} onChange={(e) => (find.space.value = e.currentTarget.value as FindSpace)}>
          <option value="data">in the data</option>
          <option value="map">on the map</option>
        </select>
      </div>
      <div class="nbe-find-steps">
        {STEPS.map(({ step, text, hint }) => (
          <button key={step} type="button" class="nbe-button" aria-disabled={!count} title={count ? hint : "Select points first"} onClick={() => find.step(step)}>{text}</button>
        ))}
      </div>
      <div class="nbe-find-steps">
        <button type="button" class="nbe-button" title="Select the points that are not selected, and no others" onClick={() => find.invert()}>Invert</button>
        <button
          type="button" class="nbe-button" aria-label="Back (selection before)" aria-disabled={!find.earlier.value.length} title="Go back to the selection before this one"
          onClick={() => find.back()}
        >
          <Icon name="undo" />Back
        </button>
      </div>
      {find.near.pending.value && <p class="nbe-why">Searching neighbors …</p>}
      {error && <p class="nbe-why nbe-find-error" role="alert">{inline(error, 200)}</p>}
      {view.tool.value === "brush" && <BrushSize view={view} />}
    </>
  );
}

const [SMALLEST, LARGEST] = [4, 60];

function BrushSize({ view }: { view: View }) {
  const radius = view.brush.value;
  return (
    <label class="nbe-row" title="Radius of the brush in pixels">
      <span class="nbe-row-name">Brush</span>
      <input
        type="range" class="nbe-range" aria-label="Radius of the brush" min={SMALLEST} max={LARGEST} step={1} value={radius}
        style={{ "--nbe-filled": `${(100 * (radius - SMALLEST)) / (LARGEST - SMALLEST)}%` }}
        onInput={(e) => (view.brush.value = e.currentTarget.valueAsNumber)}
      />
      <span class="nbe-value">{radius}</span>
    </label>
  );
}
