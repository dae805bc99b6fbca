/** The panel of the columns that the map is made of: which are embedded, with what weight, and of which logarithms. */
import { useLayoutEffect, useRef } from "preact/hooks";
import { focusIsOn } from "../host/roots";
import { inline, plain } from "../state/cards";
import { STEP, type Data } from "../state/data";
import type { View } from "../view/view";
import { HEAVIEST, type DataColumn, type QueryAnswers } from "../wire/wire.generated";
import { DataNote } from "./controls";
import { NumberField } from "./number_field";
import * as strings from "../strings";

export function DataPanel({ view }: { view: View }) {
  const { data } = view;
  const ref = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => data.ask(), []);
  const found = data.found.value.value;
  useLayoutEffect(() => {
    // The control that had the focus in the map before has it again, unless a person has gone elsewhere.
    const control = found ? data.takeControl() : "";
    const root = ref.current?.closest<HTMLElement>(".nbe") ?? null;
    if (control && focusIsOn(root)) ref.current?.querySelector<HTMLElement>(`[data-control="${CSS.escape(control)}"]`)?.focus({ preventScroll: true });
  }, [found]);
  return (
    <div ref={ref} class="nbe-data">
      <section class="nbe-section" aria-label={strings.data}>
        <DataNote view={view} />
        {data.found.error.value && <p class="nbe-why" role="alert">{inline(data.found.error.value, 300)}</p>}
        {found?.refusal && <p class="nbe-why">{inline(found.refusal, 300)}</p>}
        {found && !found.refusal && <Choice view={view} found={found} />}
      </section>
    </div>
  );
}

type Found = QueryAnswers["data_columns"];

function Choice({ view, found }: { view: View; found: Found }) {
  const { data } = view;
  const { columns, standardized, embedded, matching, count } = found;
  const possible = view.childMaps.possible;
  const more = matching - columns.length;
  return (
    <>
      {!possible && <p class="nbe-why">{strings.changeItInPython}</p>}
      {data.elsewhere.value && <p class="nbe-why" role="status">{strings.preparedMapIsElsewhere}</p>}
      <label class="nbe-row nbe-check" title={strings.scaleNumbersHint}>
        <input
          type="checkbox" data-control="standardize" aria-label={strings.scaleNumbers} checked={data.scaled.value ?? standardized} disabled={!possible}
          onChange={(e) => {
            data.standardize(e.currentTarget.checked);
            e.currentTarget.checked = data.scaled.peek() ?? standardized;
          }}
        />
        <span class="nbe-row-name">{strings.scaleNumbers}</span>
      </label>
      {count > columns.length || data.text.value ? (
        <input
          type="search" class="nbe-find-text nbe-data-search" data-control="search" aria-label={strings.searchColumns} placeholder={strings.searchColumns} dir="auto"
          value={data.text.value} maxLength={200} onInput={(e) => data.search(e.currentTarget.value)}
        />
      ) : null}
      <div class="nbe-heading">
        <h3>{strings.columns}</h3>
        <span class="nbe-faint nbe-note-small">{strings.embeddedOf(embedded.toLocaleString("en"), count.toLocaleString("en"))}</span>
      </div>
      <ul class="nbe-data-columns" aria-label={strings.columns} aria-busy={data.making.value}>
        {columns.map((column) => <Column key={column.column} data={data} column={data.shown(column)} disabled={!possible} />)}
      </ul>
      {more > 0 && <p class="nbe-why">{strings.andMoreTypeName(more.toLocaleString("en"), data.text.value.trim() !== "")}</p>}
      {!columns.length && <p class="nbe-why">{strings.noColumnHasName}</p>}
    </>
  );
}

function Column({ data, column, disabled }: { data: Data; column: DataColumn; disabled: boolean }) {
  const { column: k, title, embedded, possible } = column;
  const [name, use] = [inline(title, 60) || "–", inline(column.use, 200)];
  return (
    <li class="nbe-data-column" title={strings.columnAndUse(inline(title, 200), use)}>
      <label class="nbe-row nbe-check">
        <input
          type="checkbox" data-control={`embed-${k}`} aria-label={strings.embed(name)} aria-description={use} checked={embedded} disabled={disabled || !possible}
          onChange={(e) => {
            data.change(column, { embedded: e.currentTarget.checked });
            e.currentTarget.checked = data.draft.peek()?.embedded ?? embedded;
          }}
        />
        <span class="nbe-data-name" dir="auto">{plain(title) || "–"}</span>
        <span class="nbe-faint nbe-data-use">{use}</span>
      </label>
      {embedded && <Uses data={data} column={column} name={name} disabled={disabled} />}
    </li>
  );
}

/** The weight of an embedded column, and whether logarithms are taken. */
function Uses({ data, column, name, disabled }: { data: Data; column: DataColumn; name: string; disabled: boolean }) {
  const { column: k, weight, log, positive } = column;
  /** Whether the slider is moved by keys, of which more may follow. */
  const keyed = useRef(false);
  const tidy = (value: number): number => Number(Math.min(HEAVIEST, Math.max(0, value)).toFixed(2));
  const text = weight.toFixed(Number.isInteger(10 * weight) ? 1 : 2);
  return (
    <div class="nbe-data-uses">
      <input
        type="range" class="nbe-range" data-control={`slide-${k}`} aria-label={strings.weightOf(name)} aria-valuetext={text} title={strings.weightHint} disabled={disabled}
        min={0} max={HEAVIEST} step={STEP} value={weight} style={{ "--nbe-filled": `${(100 * weight) / HEAVIEST}%` }}
        onPointerDown={() => (keyed.current = false)}
        onKeyDown={(e) => {
          keyed.current = true;
          if (e.key !== "Delete" && e.key !== "Backspace") return;
          e.preventDefault();
          data.change(column, { weight: 1 });
        }}
        onDblClick={() => data.change(column, { weight: 1 })}
        onInput={(e) => data.hold(column, { weight: tidy(e.currentTarget.valueAsNumber) })}
        onChange={(e) => data.change(column, { weight: tidy(e.currentTarget.valueAsNumber) }, keyed.current)}
      />
      <NumberField
        control={`weight-${k}`} label={strings.sliderNumber(strings.weightOf(name))} text={text} disabled={disabled} hint={strings.weightHint}
        onValue={(value) => value !== weight && data.change(column, { weight: value })}
        onStep={(by) => data.change(column, { weight: tidy(weight + by * STEP) }, true)}
      />
      {positive && (
        <label class="nbe-row nbe-check" title={strings.logHint}>
          <input
            type="checkbox" data-control={`log-${k}`} aria-label={strings.logOf(name)} checked={log} disabled={disabled || weight === 0}
            onChange={(e) => {
              data.change(column, { log: e.currentTarget.checked });
              e.currentTarget.checked = data.draft.peek()?.log ?? log;
            }}
          />
          <span class="nbe-row-name">{strings.log}</span>
        </label>
      )}
    </div>
  );
}
