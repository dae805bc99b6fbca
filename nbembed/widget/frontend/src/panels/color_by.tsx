/** What colors the points: the choice, and what the colors mean. */
import { useRef } from "preact/hooks";
import { inline } from "../state/cards";
import { columnText, endsOf, isMissing } from "../state/column_text";
import type { Choice } from "../state/column_search";
import { shownCss } from "../points/contrast";
import { scaleStops } from "../points/ramp";
import type { View } from "../view/view";
import { MEASURE_TEXTS } from "../state/why";
import { MEASURES, type ColorMode, type Measure } from "../wire/wire.generated";
import { ColumnPicker } from "./column_picker";
import { useRoving } from "./roving";
import { MeasureLegend } from "./why";
import * as strings from "../strings";

/** The meaning of colors of classes that no label has given. */
const SURENESS = {
  suggestion: strings.colorBySuggestionHint,
  probability: strings.colorByClassProbabilityHint,
};

/** What values of the menu begin with that stand for a column. */
const COLUMN = "column ";

interface ColorByProps {
  view: View;
  /** The measures of each point that are offered. */
  measures?: readonly Measure[];
}

/** What colors the points; a page without a kernel leaves out what that would have to compute. */
export function ColorBy({ view, measures = MEASURES }: ColorByProps) {
  const { layout, traits } = view.store;
  const { color_column: column, color_columns: columns, color_column_count: count, color_by: colorBy } = traits;
  const titles = view.still ? [] : columns.value;
  const { kind, title } = column.value;
  const untitled = "color"; // as in Python
  const place = kind === "none" ? -1 : titles.indexOf(title);
  const choices: [ColorMode, string][] = [];
  if (kind !== "none" && place < 0) choices.push(["column", title || untitled]);
  choices.push(["class", strings.classLabels]);
  if (layout.value.membershipColors.length || colorBy.value === "probability") choices.push(["probability", strings.classProbability]);
  if (!view.still) choices.push(["suggestion", strings.suggestion]);
  const choose = (value: string): void => {
    if (value.startsWith(COLUMN)) view.colorByColumn(Number(value.slice(COLUMN.length)));
    else view.colorBy(value as ColorMode);
  };
  const many = !view.still && count.value > columns.value.length;
  const take = ({ value }: Choice): void => (typeof value === "number" ? view.colorByColumn(value) : view.colorBy(value as ColorMode));
  const measure = MEASURES.find((name) => name === colorBy.value);
  const now = colorBy.value === "column" ? title || untitled : measure ? MEASURE_TEXTS[measure].title : (choices.find(([mode]) => mode === colorBy.value)?.[1] ?? "");
  return (
    <>
      {many ? (
        <div class="nbe-row">
          <span class="nbe-row-name">{strings.colorBy}</span>
          <ColumnPicker
            view={view} use="color" label={strings.colorBy} shown={now} onChoose={take}
            before={[{ title: "", choices: choices.filter(([mode]) => mode !== "column").map(([value, text]) => ({ value, text })) }]}
            after={[{ title: strings.measuresOfEachPoint, choices: MEASURES.map((value) => ({ value, text: MEASURE_TEXTS[value].title })) }]}
          />
        </div>
      ) : <label class="nbe-row">
        <span class="nbe-row-name">{strings.colorBy}</span>
        <select class="nbe-select" aria-label={strings.colorBy} value={colorBy.value === "column" && place >= 0 ? `${COLUMN}${place}` : colorBy.value} onChange={(e) => choose(e.currentTarget.value)}>
          {choices.map(([mode, text]) => <option key={mode} value={mode}>{text}</option>)}
          {titles.length > 0 && (
            <optgroup label={strings.columns}>
              {titles.map((text, k) => <option key={k} value={`${COLUMN}${k}`}>{inline(text, 60) || untitled}</option>)}
            </optgroup>
          )}
          {measures.length > 0 && (
            <optgroup label={strings.measuresOfEachPoint}>
              {measures.map((name) => <option key={name} value={name}>{MEASURE_TEXTS[name].title}</option>)}
            </optgroup>
          )}
        </select>
      </label>}
      {colorBy.value === "column" && <Legend view={view} />}
      <NewRows view={view} />
      <MeasureLegend view={view} />
      <NamesShown view={view} />
      <ThumbnailsShown view={view} />
      {(colorBy.value === "suggestion" || colorBy.value === "probability") && (
        <div class="nbe-ramp nbe-sureness" title={SURENESS[colorBy.value]}>
          <span>{strings.unsure}</span><i /><span>{strings.sure}</span>
        </div>
      )}
    </>
  );
}

/** The ring of new rows, as a button that selects them. */
function NewRows({ view }: { view: View }) {
  const count = view.store.traits.new_rows.value.length;
  if (!count) return null;
  return (
    <ul class="nbe-legend" aria-label={strings.rings}>
      <li>
        <button type="button" title={strings.newRowsHint} onClick={(e) => view.selectNewRows(e.shiftKey)}>
          <i class="nbe-ring" /><span>{strings.newRows(count)}</span>
        </button>
      </li>
    </ul>
  );
}

/** Whether the map shows names where there is room. */
function NamesShown({ view }: { view: View }) {
  const { names_shown: shown, named, classes, color_column: column, color_by: colorBy } = view.store.traits;
  if (!named.value && !classes.value.length && !(colorBy.value === "column" && column.value.kind === "category")) return null;
  return (
    <label class="nbe-row nbe-check" title={strings.namesOnTheMapHint}>
      <input type="checkbox" aria-label={strings.namesOnTheMap} checked={shown.value} onChange={(e) => view.showNames(e.currentTarget.checked)} />
      <span class="nbe-row-name">{strings.namesOnTheMap}</span>
    </label>
  );
}

/** Whether the map shows images where there is room. */
function ThumbnailsShown({ view }: { view: View }) {
  const { imaged, thumbnails_shown: shown } = view.store.traits;
  if (!imaged.value) return null;
  return (
    <label class="nbe-row nbe-check" title={strings.imagesOnTheMapHint}>
      <input type="checkbox" aria-label={strings.imagesOnTheMap} checked={shown.value} onChange={(e) => view.showThumbnails(e.currentTarget.checked)} />
      <span class="nbe-row-name">{strings.imagesOnTheMap}</span>
    </label>
  );
}

const LEGEND_LIMIT = 24;

function Legend({ view }: { view: View }) {
  const column = view.store.traits.color_column.value;
  const { kind, names, colors } = column;
  const values = view.store.traits.color_values.value;
  const missing = values.some((value) => isMissing(kind, value));
  if (kind === "number" || kind === "time") {
    const [low, high] = endsOf(values);
    return (
      <>
        {high >= low && (
          <div class="nbe-ramp">
            <span>{columnText(column, low, 3, high - low)}</span><i style={{ background: `linear-gradient(to right, ${scaleStops(view.theme.value.dark).join()})` }} /><span>{columnText(column, high, 3, high - low)}</span>
          </div>
        )}
        {missing && <ul class="nbe-legend" aria-label={strings.colors}><Missing view={view} /></ul>}
      </>
    );
  }
  return <Categories view={view} names={names} colors={colors} missing={missing} />;
}

/** The categories, each a button that selects its points; together one tab stop. */
function Categories({ view, names, colors, missing }: { view: View; names: readonly string[]; colors: readonly string[]; missing: boolean }) {
  const list = useRef<HTMLUListElement>(null);
  useRoving(list);
  return (
    <ul ref={list} class="nbe-legend" aria-label={strings.colors}>
      {names.slice(0, LEGEND_LIMIT).map((name, k) => (
        <li key={k}>
          <button type="button" title={strings.legendCategoryHint(inline(name, 200))} onClick={(e) => view.selectCategory(k, e.shiftKey)}>
            <i style={{ background: shownCss(colors[k], view.theme.value) }} /><span dir="auto">{inline(name, 200) || "–"}</span>
          </button>
        </li>
      ))}
      {names.length > LEGEND_LIMIT && <li><span>{strings.andMore(names.length - LEGEND_LIMIT)}</span></li>}
      {missing && <Missing view={view} />}
    </ul>
  );
}

/** The points without a value, as an entry of the legend. */
function Missing({ view }: { view: View }) {
  return (
    <li>
      <button type="button" title={strings.legendMissingHint} onClick={(e) => view.selectMissing(e.shiftKey)}>
        <i style={{ background: "var(--nbe-neutral)" }} /><span>{strings.missing}</span>
      </button>
    </li>
  );
}
