/** The tab Compare: take snapshots, and compare the map with one of them or with a second live map. */
import { useSignal } from "@preact/signals";
import { inline } from "../state/cards";
import { NEIGHBORS } from "../state/compare";
import { changeStops } from "../points/tint";
import type { View } from "../view/view";
import type { Compared, SecondMap } from "../wire/wire.generated";
import { ControlSlider } from "./controls";
import { minus, readable, short } from "../state/numbers";
import { Sentence } from "./sentence";
import * as strings from "../strings";

export function ComparePanel({ view }: { view: View }) {
  const { compared, second } = view.store.traits;
  return (
    <>
      <section class="nbe-section" aria-label={strings.newSnapshot}><TakeSnapshot view={view} /></section>
      <section class="nbe-section" aria-label={strings.comparison}>
        <Choice view={view} />
        {compared.value && <Shown view={view} compared={compared.value} />}
      </section>
      {second.value && <section class="nbe-section" aria-label={strings.secondMap}><Second view={view} second={second.value} /></section>}
    </>
  );
}

function TakeSnapshot({ view }: { view: View }) {
  const name = useSignal("");
  const open = view.dock.value === "compare";
  const count = view.store.traits.snapshots.value.length;
  const take = (): void => {
    if (!view.compare.take(name.peek())) return;
    name.value = "";
    view.dock.value = "compare";
  };
  return (
    <>
      <div class="nbe-row">
        <input
          type="text" class="nbe-text" aria-label={strings.nameOfTheSnapshot} placeholder={strings.nameOptional} maxLength={60} value={name.value}
          onInput={(e) => (name.value = e.currentTarget.value)}
          onKeyDown={(e) => {
            if (e.key !== "Enter") return;
            e.preventDefault();
            take();
          }}
        />
        <button type="button" class="nbe-button nbe-narrow" aria-label={strings.takeASnapshot} title={strings.snapshotHint} onClick={take}>{strings.snapshot}</button>
      </div>
      {(open || count > 0) && (
        <button type="button" class="nbe-button" aria-pressed={open} title={strings.snapshotsShownHint} onClick={() => (view.dock.value = open ? "" : "compare")}>
          {strings.snapshotsShown(open, count)}
        </button>
      )}
    </>
  );
}

/** The value of a snapshot in the list: no snapshot's name can be one of the other two. */
const kept = (name: string): string => `s:${name}`;

function Choice({ view }: { view: View }) {
  const { compared, snapshots, method } = view.store.traits;
  const now = compared.value;
  const drawn = snapshots.value.filter((each) => each.drawn);
  const choose = (value: string): void => {
    if (value === "live") view.compare.withMethod(method.peek());
    else if (value === "none") view.compare.end();
    else view.compare.withSnapshot(value.slice(2));
  };
  return (
    <>
    <label class="nbe-row">
      <span class="nbe-row-name">{strings.compareWith}</span>
      <select class="nbe-select" aria-label={strings.compareWith} value={now === null ? "none" : now.snapshot ? kept(now.snapshot) : "live"} onChange={(e) => choose(e.currentTarget.value)}>
        <option value="none">{strings.none}</option>
        <option value="live">{strings.aSecondLiveMap}</option>
        {drawn.map(({ name }) => <option key={name} value={kept(name)}>{inline(name, 40)}</option>)}
      </select>
    </label>
    {now?.snapshot && drawn.length > 1 && (
      <label class="nbe-row" title={strings.firstMapHint}>
        <span class="nbe-row-name">{strings.firstMap}</span>
        <select class="nbe-select" aria-label={strings.firstMap} value={kept(now.onto)} onChange={(e) => view.compare.withSnapshot(now.snapshot, e.currentTarget.value.slice(2))}>
          <option value={kept("")}>{strings.thePresentMap}</option>
          {drawn.filter(({ name }) => name !== now.snapshot).map(({ name }) => <option key={name} value={kept(name)}>{inline(name, 40)}</option>)}
        </select>
      </label>
    )}
    </>
  );
}

function Shown({ view, compared }: { view: View; compared: Compared }) {
  const { compare } = view;
  const { view: how, by_change: byChange } = compared;
  return (
    <>
      <div class="nbe-grid" role="group" aria-label={strings.view}>
        <button type="button" class="nbe-button" aria-pressed={how === "side"} onClick={() => compare.show("side", byChange)}>{strings.sideBySide}</button>
        <button type="button" class="nbe-button" aria-pressed={how === "blend"} onClick={() => compare.show("blend", byChange)}>{strings.blended}</button>
      </div>
      {how === "blend" && <BlendSlider view={view} />}
      <label class="nbe-row nbe-check" title={strings.colorByChangeHint(NEIGHBORS)}>
        <input type="checkbox" aria-label={strings.colorByChange} checked={byChange} onChange={(e) => compare.show(how, e.currentTarget.checked)} />
        <span class="nbe-row-name">{strings.colorByChange}</span>
      </label>
      {byChange && <Changes view={view} />}
      <Match view={view} />
    </>
  );
}

function BlendSlider({ view }: { view: View }) {
  const { share } = view.compare;
  const percent = Math.round(100 * share.value);
  return (
    <label class="nbe-row" title={strings.fromTheFirstMap}>
      <span class="nbe-row-name">{view.store.traits.compared.value?.onto ? strings.first : strings.present}</span>
      <input
        type="range" class="nbe-range" aria-label={strings.shareOfTheOtherMap} aria-valuetext={`${percent} %`}
        min={0} max={1} step={0.01} value={share.value} style={{ "--nbe-filled": `${percent}%` }}
        onInput={(e) => (share.value = e.currentTarget.valueAsNumber)}
      />
      <span class="nbe-row-name">{strings.other}</span>
    </label>
  );
}

function Changes({ view }: { view: View }) {
  const { changes } = view.compare;
  const found = changes.value.value;
  const stops = (dark: boolean): string => `linear-gradient(to right, ${changeStops(dark).join()})`;
  return (
    <>
      <div class="nbe-ramp nbe-change-ramp" title={strings.changeScaleHint(found?.k ?? NEIGHBORS)}>
        <span>{strings.same}</span><i style={{ "--nbe-light": stops(false), "--nbe-dark": stops(true) }} /><span>{strings.allOthers}</span>
      </div>
      <p class="nbe-why nbe-line" role="status">
        {changes.error.value || (found ? <Sentence parts={strings.neighborsChanged((100 * found.mean).toFixed(0), found.k)} /> : "…")}
      </p>
      <button type="button" class="nbe-button" aria-disabled={!found} title={strings.selectMostChangedHint} onClick={() => view.compare.selectChanged()}>{strings.selectMostChanged}</button>
    </>
  );
}

/** How well the two maps match once one is turned and scaled. */
function Match({ view }: { view: View }) {
  const found = view.compare.beside.value.value;
  const error = view.compare.beside.error.value;
  if (error) return <p class="nbe-why">{error}</p>;
  if (!found || found.disparity === null) return null;
  const turn = Math.round(found.turn ?? 0);
  const scale = (found.scale ?? 1).toPrecision(3);
  const moves = [
    turn ? strings.turning(minus(String(turn))) : "",
    found.mirrored ? strings.mirroring : "",
    scale === "1.00" ? "" : strings.scaling(short(found.scale ?? 1)),
  ].filter(Boolean).join(", ").replace(/, (?=[^,]*$)/, strings.andWord);
  const disparity = found.disparity.toFixed(3);
  return (
    <p class="nbe-why" title={strings.disparityHint}>
      <Sentence parts={strings.disparityOf(disparity)} /> {moves ? strings.alignedBy(moves) : disparity === "0.000" && strings.mapsAreTheSame}
    </p>
  );
}

function Second({ view, second }: { view: View; second: SecondMap }) {
  const { compare, store } = view;
  const found = compare.beside.value.value;
  const facts = [
    second.making || second.state,
    found?.version ? strings.iteration(found.iteration.toLocaleString("en")) : "",
    typeof found?.cost === "number" ? strings.cost(readable(found.cost)) : "",
    typeof found?.quality === "number" ? strings.oneNnKept((100 * found.quality).toFixed(1)) : "",
  ].filter(Boolean);
  return (
    <>
      <div class="nbe-heading"><h3>{strings.secondMap}</h3></div>
      <label class="nbe-row">
        <select class="nbe-select" aria-label={strings.methodOfTheSecondMap} value={second.method} onChange={(e) => compare.withMethod(e.currentTarget.value)}>
          {store.traits.methods.value.map((name) => <option key={name} value={name}>{name}</option>)}
        </select>
      </label>
      {second.controls.map((control) => (
        <ControlSlider
          key={`${second.method}.${control.name}`} control={control} label={strings.sliderOfSecondMap(control.symbol)}
          kernel={second.parameters[control.name]} waits={compare.waits(control.name)}
          set={(value) => compare.setSecond(control.name, value)} say={(message) => view.say(message)}
        />
      ))}
      <p class="nbe-why" role="status">{facts.map((fact, k) => <>{k > 0 && " · "}<span class="nbe-whole">{fact}</span></>)}</p>
      {second.problem && <p class="nbe-why nbe-bad" role="alert">{inline(second.problem, 300)}</p>}
      <div class="nbe-grid">
        <button type="button" class="nbe-button" title={strings.takeOverHint} onClick={() => compare.takeOver()}>{strings.takeOver}</button>
        <button type="button" class="nbe-button" title={strings.startSecondMapAgainHint} onClick={() => compare.resetSecond()}>{strings.startAgain}</button>
      </div>
      <p class="nbe-why">{strings.secondMapNote}</p>
    </>
  );
}
