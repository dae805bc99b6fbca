/** The panel that says why points lie where they lie. */
import type { ComponentChildren } from "preact";
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import { inline } from "../state/cards";
import { scaleStops } from "../points/ramp";
import type { View } from "../view/view";
import { MEASURE_TEXTS, measureOf, SIZES, type End } from "../state/why";
import { MEASURES, type ForceTerm, type Measure } from "../wire/wire.generated";
import { Formula } from "./formula";
import { Icon } from "./icons";
import { alike, short } from "../state/numbers";
import { Sentence } from "./sentence";
import * as strings from "../strings";

/** Neighbors of each kind that are listed. */
const LISTED = 4;

export function WhyPanel({ view }: { view: View }) {
  const { why } = view;
  return (
    <>
      <Steady key={`lines ${why.lines.value}`} label={strings.neighborhood}><Neighborhood view={view} /></Steady>
      <Steady label={strings.forces}><ForcesOnPoint view={view} /></Steady>
      <section class="nbe-section" aria-label={strings.measuresOfEachPoint}><Measured view={view} /></section>
      <section class="nbe-section" aria-label={strings.withoutLabels}><WithoutLabels view={view} /></section>
    </>
  );
}

/** A section that keeps the height it once needed: what is below does not jump from point to point. */
function Steady({ label, children }: { label: string; children: ComponentChildren }) {
  const element = useRef<HTMLElement>(null);
  useLayoutEffect(() => {
    const section = element.current;
    // Below the map it may be as high as it is.
    const body = section?.closest(".nbe-body");
    if (!section || !body || getComputedStyle(body).flexDirection !== "row") return;
    let highest = 0;
    const observer = new ResizeObserver(() => {
      highest = Math.max(highest, section.offsetHeight);
      section.style.minHeight = `${highest}px`;
    });
    observer.observe(section);
    return () => observer.disconnect();
  }, []);
  return <section ref={element} class="nbe-section" aria-label={label}>{children}</section>;
}

/** A heading with a switch for what the map draws. */
function Drawn({ title, label, on, set }: { title: string; label: string; on: boolean; set: (on: boolean) => void }) {
  return (
    <div class="nbe-heading">
      <h3>{title}</h3>
      <label class="nbe-why-switch">
        <input type="checkbox" aria-label={label} checked={on} onChange={(e) => set(e.currentTarget.checked)} />
        <span>{strings.onTheMap}</span>
      </label>
    </div>
  );
}

/** A sentence in place of an answer: why there is none, or how to get one. */
function Missing({ error, children }: { error: string; children: ComponentChildren }) {
  return <p class="nbe-why" dir="auto">{error || children}</p>;
}

function nameOf(view: View, point: number): string {
  void view.store.cards.version;
  return inline(view.store.cards.name(point) ?? "", 30) || `#${point}`;
}

// -- the neighborhood of a point -----------------------------------------------------------------

function Neighborhood({ view }: { view: View }) {
  const { why } = view;
  const point = why.point.value;
  const near = why.near.value.value;
  const current = near && near.point === point ? near : null;
  useEffect(() => {
    if (point >= 0) view.store.cards.askNames([point]);
  }, [point]);
  return (
    <>
      <Drawn title={point < 0 ? strings.neighbors : strings.neighborsOf(nameOf(view, point))} label={strings.linesToNeighbors} on={why.lines.value} set={(on) => (why.lines.value = on)} />
      <label class="nbe-row">
        <span class="nbe-row-name">{strings.nearest}</span>
        <select class="nbe-select" aria-label={strings.sizeOfNeighborhoods} value={why.k.value} onChange={(e) => (why.k.value = Number(e.currentTarget.value))}>
          {SIZES.map((k) => <option key={k} value={k}>{strings.points(k)}</option>)}
        </select>
      </label>
      {!why.lines.value ? null : point < 0 || !current ? (
        <Missing error={point < 0 ? "" : why.near.error.value}>{point < 0 ? strings.neighborhoodEmpty : "…"}</Missing>
      ) : (
        <>
          <ul class="nbe-why-kinds">
            <li data-kind="kept"><i /><span><Sentence parts={strings.keptNeighbors(current.kept.length)} /></span></li>
            <li data-kind="missing">
              <i /><span><Sentence parts={strings.missingNeighbors(current.missing.length)} /></span>
              <Strangers view={view} title={strings.missingPlaces} points={current.missing} ranks={current.missing_ranks} />
            </li>
            <li data-kind="false">
              <i /><span><Sentence parts={strings.falseNeighbors(current.false.length)} /></span>
              <Strangers view={view} title={strings.falsePlaces} points={current.false} ranks={current.false_ranks} />
            </li>
          </ul>
          {current.trustworthiness !== null && current.continuity !== null && (
            <p class="nbe-why">{strings.trustworthinessContinuity(current.trustworthiness.toFixed(3), current.continuity.toFixed(3))}</p>
          )}
        </>
      )}
    </>
  );
}

/** The neighbors of one kind that are farthest off, each a button that opens its card. */
function Strangers({ view, title, points, ranks }: { view: View; title: string; points: Uint32Array; ranks: Uint32Array }) {
  const worst = [...points].map((p, i) => [p, ranks[i]] as const).sort((a, b) => b[1] - a[1]);
  // A line that says "and 1 more" has room for that one.
  const listed = worst.slice(0, worst.length > LISTED + 1 ? LISTED : undefined);
  useEffect(() => view.store.cards.askNames(listed.map(([p]) => p)), [points]);
  if (!points.length) return null;
  return (
    <div class="nbe-why-list" role="group" aria-label={title} title={title}>
      {listed.map(([p, rank]) => (
        <button key={p} type="button" class="nbe-why-point" title={strings.openCardOfNeighbor(nameOf(view, p), rank)} onClick={() => view.openCard(p)}>
          <bdi>{nameOf(view, p)}</bdi> <span class="nbe-faint">{ordinal(rank)}</span>
        </button>
      ))}
      {worst.length > listed.length && <span class="nbe-faint">{strings.andMore(worst.length - listed.length)}</span>}
    </div>
  );
}

function ordinal(n: number): string {
  const last = n % 100 >= 11 && n % 100 <= 13 ? 0 : n % 10;
  return `${n.toLocaleString("en")}${["th", "st", "nd", "rd"][last] ?? "th"}`;
}

// -- forces ------------------------------------------------------------------------------------

function ForcesOnPoint({ view }: { view: View }) {
  const { why } = view;
  const point = why.point.value;
  const found = why.forces.value.value;
  const current = found && found.point === point ? found : null;
  return (
    <>
      <Drawn title={strings.forces} label={strings.forcesAsArrows} on={why.arrows.value} set={(on) => (why.arrows.value = on)} />
      {point < 0 || !current ? (
        <Missing error={point < 0 ? "" : why.forces.error.value}>{point < 0 ? strings.forcesEmpty : "…"}</Missing>
      ) : (
        <>
          {current.equation && <p class="nbe-why-equation">{current.equation.split("\n").map((line, i) => <span key={i}><Formula text={line} /></span>)}</p>}
          <Parameters view={view} />
          <Terms view={view} terms={current.terms} cost={current.cost} total={current.total_length} />
          {current.pinned && <p class="nbe-why">{strings.thePointIsPinned}</p>}
        </>
      )}
    </>
  );
}

/** The present values of the method's parameters. */
function Parameters({ view }: { view: View }) {
  const { controls, parameters } = view.store.traits;
  const known = controls.value.filter(({ name, enabled }) => enabled && typeof parameters.value[name] === "number");
  if (!known.length) return null;
  return <p class="nbe-why">{known.map(({ name, symbol }) => `${symbol} = ${short(parameters.value[name] ?? 0)}`).join(", ")}</p>;
}

function Terms({ view, terms, cost, total }: { view: View; terms: ForceTerm[]; cost: number | null; total: number }) {
  const longest = Math.max(...terms.map(({ length }) => length), 1e-300);
  const nats = alike(terms.map((term) => term.cost ?? 0), cost ?? 0);
  const force = alike([...terms.map(({ length }) => length), total]);
  return (
    <table class="nbe-why-terms" aria-label={strings.termsOfTheCost(nameOf(view, view.why.point.value))}>
      <thead><tr><th scope="col">{strings.term}</th><th scope="col">{strings.nats}</th><th scope="col">{strings.force}</th></tr></thead>
      <tbody>
        {terms.map(({ name, formula, role, cost: value, length }) => (
          <tr key={name} data-role={role} title={formula}>
            <th scope="row"><i /><span>{name}<small class="nbe-why-formula"><Formula text={formula} /></small></span></th>
            <td>{value === null ? "–" : nats(value)}</td>
            <td>{role === "constant" ? "" : <><span>{force(length)}</span><i style={{ width: `${(100 * length) / longest}%` }} /></>}</td>
          </tr>
        ))}
      </tbody>
      <tfoot>
        <tr data-role="total"><th scope="row"><i /><span>{strings.sum}</span></th><td>{cost === null ? "–" : nats(cost)}</td><td><span>{force(total)}</span></td></tr>
      </tfoot>
    </table>
  );
}

// -- measures ------------------------------------------------------------------------------------

function Measured({ view }: { view: View }) {
  const measure = view.why.measure.value;
  const none = view.store.traits.color_column.value.kind === "none" ? "class" : "column";
  return (
    <>
      <div class="nbe-heading"><h3>{strings.measuresOfEachPoint}</h3></div>
      <label class="nbe-row">
        <span class="nbe-row-name">{strings.colorBy}</span>
        <select class="nbe-select" aria-label={strings.colorByAMeasure} value={measure ?? ""} onChange={(e) => view.colorBy(measureOf(e.currentTarget.value as Measure) ?? none)}>
          <option value="">{strings.noMeasure}</option>
          {MEASURES.map((name) => <option key={name} value={name} title={MEASURE_TEXTS[name].hint}>{MEASURE_TEXTS[name].title}</option>)}
        </select>
      </label>
      <MeasureLegend view={view} />
    </>
  );
}

/** The scale of the measure that colors the points. */
export function MeasureLegend({ view }: { view: View }) {
  const { why } = view;
  const measure = why.measure.value;
  if (!measure) return null;
  const { hint, low, high } = MEASURE_TEXTS[measure];
  const shown = why.shown.value;
  // The words are those of the ends of the measure; its scale may be of a part of it.
  const words = (value: number, end: End | undefined, other: string): string => (end && short(value) === short(end.at) ? end.text : other);
  return (
    <>
      {shown ? (
        <div class="nbe-ramp nbe-why-ramp" title={strings.measureScaleHint(shown.low.toPrecision(3), shown.high.toPrecision(3))}>
          <span>{words(shown.low, low, strings.lower)}<small>{short(shown.low)}</small></span>
          <i style={{ background: `linear-gradient(to right, ${scaleStops(view.theme.value.dark).join()})` }} />
          <span>{words(shown.high, high, strings.higher)}<small>{short(shown.high)}</small></span>
        </div>
      ) : null}
      {!shown && measure === "stability" && !why.measured.error.value ? (
        <OtherMaps view={view} made={why.measured.value.value} />
      ) : (
        <p class="nbe-why">{why.measured.error.value || (shown ? strings.measureHint(hint, shown.mean === null ? "–" : short(shown.mean)) : strings.measuring)}</p>
      )}
    </>
  );
}

/** How many of the maps are there that stability is of, and a way to do without them. */
export function OtherMaps({ view, made }: { view: View; made: { made: number; of: number } | null }) {
  return (
    <p class="nbe-why nbe-kept">
      <span role="status">{made ? strings.makingOtherMapsOf(made.made, made.of) : strings.makingOtherMaps}</span>
      <button type="button" class="nbe-inline" aria-label={strings.cancelOtherMaps} title={strings.makeNoOtherMaps} onClick={() => view.cancel("stability")}><Icon name="close" /></button>
    </p>
  );
}

// -- the map without labels ----------------------------------------------------------------------

function WithoutLabels({ view }: { view: View }) {
  const { why } = view;
  const found = why.unsupervised.value.value;
  const making = why.ghost.value && !found?.positions.length && !why.unsupervised.error.value;
  const text = making ? strings.cancel : why.ghost.value ? strings.hide : strings.showOnTheMap;
  return (
    <>
      <div class="nbe-heading"><h3>{strings.withoutLabels}</h3></div>
      <button
        type="button" class="nbe-button" aria-pressed={why.ghost.value} aria-label={strings.mapWithoutLabels(text)}
        title={strings.withoutLabelsHint}
        onClick={() => (making ? why.cancelGhost() : why.showGhost(!why.ghost.value))}
      >
        {text}
      </button>
      {why.unsupervised.error.value ? (
        <p class="nbe-why" dir="auto">{why.unsupervised.error.value}</p>
      ) : making ? (
        <p class="nbe-why">{strings.makingWithoutLabels(found?.iteration ?? 0)}</p>
      ) : why.ghost.value && found ? (
        <Qualities found={found} />
      ) : (
        <p class="nbe-why">{strings.withoutLabelsEmpty}</p>
      )}
    </>
  );
}

function Qualities({ found }: { found: { iteration: number; qualities: { name: Measure; here: number | null; unsupervised: number | null }[] } }) {
  if (!found.qualities.length) return <p class="nbe-why">{strings.measuring}</p>;
  const text = (value: number | null): string => (value === null ? "–" : value.toFixed(3));
  return (
    <table class="nbe-why-terms" aria-label={strings.qualitiesWithAndWithout}>
      <thead><tr><th scope="col">{strings.meanLabel}</th><th scope="col">{strings.here}</th><th scope="col">{strings.without}</th><th scope="col">{strings.moved}</th></tr></thead>
      <tbody>
        {found.qualities.map(({ name, here, unsupervised }) => {
          // The difference of the numbers that are shown.
          const moved = here === null || unsupervised === null ? null : Number(text(here)) - Number(text(unsupervised));
          // Of stress, less is better.
          const better = moved === null || Math.abs(moved) < 5e-4 ? "same" : moved > 0 === (name !== "stress") ? "better" : "worse";
          return (
            <tr key={name} title={MEASURE_TEXTS[name].hint}>
              <th scope="row"><span>{MEASURE_TEXTS[name].title}</span></th>
              <td>{text(here)}</td><td>{text(unsupervised)}</td>
              <td data-better={better}>{moved === null ? "–" : better === "same" ? "0" : `${moved > 0 ? "+" : "−"}${Math.abs(moved).toFixed(3)}`}</td>
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}
