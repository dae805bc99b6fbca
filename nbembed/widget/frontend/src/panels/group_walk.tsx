/** Groups that the data suggest: found by a button, then named, split, merged or left one by one. */
import { useEffect, useRef } from "preact/hooks";
import { shownCss } from "../points/contrast";
import { focusIsOn } from "../host/roots";
import { inline, plain } from "../state/cards";
import { proposal } from "../state/group_walk";
import type { View } from "../view/view";
import { useFocusKept, useRevealed } from "./focus";
import * as strings from "../strings";

export function GroupWalkPanel({ view }: { view: View }) {
  const { walk } = view;
  const open = walk.open.value;
  const shown = useRevealed<HTMLDivElement>(open && walk.current.value?.id);
  const first = !view.store.traits.classes.value.length;
  if (!open) return <Begin view={view} first={first} />;
  const group = walk.current.value;
  const problem = walk.found.error.value;
  return (
    <div ref={shown} class="nbe-walk" role="group" aria-label={strings.suggestedGroups}>
      <Resolution view={view} />
      {group ? <Group key={group.id} view={view} /> : (
        <>
          <p class="nbe-why">{problem ? inline(problem, 300) : strings.findingGroups}</p>
          <button type="button" class="nbe-button" title={strings.stopFindingHint} onClick={() => walk.stop()}>{problem ? strings.closeLabel : strings.cancel}</button>
        </>
      )}
    </div>
  );
}

function Begin({ view, first }: { view: View; first: boolean }) {
  const ref = useFocusKept<HTMLButtonElement>();
  return (
    <button
      ref={ref} type="button" class={first ? "nbe-button nbe-suggest-groups nbe-primary" : "nbe-button nbe-suggest-groups"}
      title={strings.suggestGroupsHint} onClick={() => view.walk.start()}
    >
      {strings.suggestGroups}
    </button>
  );
}

function Resolution({ view }: { view: View }) {
  const { resolution, found } = view.walk;
  const value = resolution.value;
  const place = Math.log2(value);
  return (
    <label class="nbe-row" title={strings.resolutionHint}>
      <span class="nbe-row-name">{strings.resolution}</span>
      <input
        type="range" class="nbe-range" aria-label={strings.resolution} aria-valuetext={value.toFixed(2)} aria-busy={found.pending.value}
        min={-4} max={3} step={0.25} value={place} style={{ "--nbe-filled": `${(100 * (place + 4)) / 7}%` }}
        onInput={(e) => view.walk.regroup(2 ** e.currentTarget.valueAsNumber)}
      />
      <span class="nbe-value">{value.toFixed(2)}</span>
    </label>
  );
}

function Group({ view }: { view: View }) {
  const { walk } = view;
  const group = walk.current.value;
  const ref = useFocusKept<HTMLDivElement>();
  if (!group) return null;
  const [done, all] = walk.place;
  const found = walk.description.value.value;
  const rest = found ? traits(found) : "";
  return (
    <div ref={ref} class="nbe-walk-group">
      <div class="nbe-heading">
        <h3><i class="nbe-dot" style={{ background: shownCss(group.color, view.theme.value) }} />{strings.groupOf(done + 1, all)}</h3>
        <span class="nbe-faint">{strings.count(group.points.length)}</span>
      </div>
      <Name view={view} />
      <div class="nbe-grid">
        <button type="button" class="nbe-button nbe-primary" title={strings.acceptGroupHint} onClick={() => walk.accept()}>{strings.accept}</button>
        <button type="button" class="nbe-button" title={strings.splitGroupHint} onClick={() => walk.split()}>{strings.split}</button>
        <button type="button" class="nbe-button" title={strings.mergeGroupHint} onClick={() => walk.merge()}>{strings.merge}</button>
        <button type="button" class="nbe-button" title={strings.noneGroupHint} onClick={() => walk.skip()}>{strings.noneButton}</button>
      </div>
      {rest && <p class="nbe-why nbe-walk-traits" dir="auto">{rest}</p>}
      <Points view={view} title={strings.typical} points={group.typical} />
      <Points view={view} title={strings.atTheBorder} points={group.border} />
      <button type="button" class="nbe-button" title={strings.stopNamingHint} onClick={() => walk.stop()}>{strings.stop}</button>
    </div>
  );
}

/** Further differences of a group, in a line. */
function traits(found: Parameters<typeof proposal>[0]): string {
  const words = found.words.slice(2, 6).map(({ name }) => inline(name, 24));
  const features = found.features.slice(0, 5).map((f) => `${inline(f.title, 24)} ${f.larger ? "+" : "−"}${f.effect === null ? "∞" : Math.abs(f.effect).toFixed(1)}`);
  return (words.length ? words : features).join(", ");
}

function Name({ view }: { view: View }) {
  const { walk } = view;
  const input = useRef<HTMLInputElement>(null);
  const asked = useRef(walk.focus.peek());
  useEffect(() => {
    if (asked.current === walk.focus.value) return;
    asked.current = walk.focus.value;
    input.current?.focus({ preventScroll: true });
    input.current?.select();
  }, [walk.focus.value]);
  const leave = (): void => {
    if (focusIsOn(input.current)) input.current?.closest<HTMLElement>(".nbe")?.focus({ preventScroll: true });
  };
  return (
    <input
      ref={input} class="nbe-name" type="text" aria-label={strings.nameOfTheGroup} title={strings.nameOfTheGroupHint} autocomplete="off" spellcheck={false} maxLength={60}
      value={walk.name.value} onInput={(e) => (walk.name.value = e.currentTarget.value)}
      onKeyDown={(e) => {
        if (e.isComposing || (e.key !== "Enter" && e.key !== "Escape")) return;
        e.preventDefault();
        e.stopPropagation();
        leave();
        if (e.key === "Enter") walk.accept();
      }}
    />
  );
}

/** Points of the group as small cards, each a button that opens the whole card. */
function Points({ view, title, points }: { view: View; title: string; points: readonly number[] }) {
  const { cards } = view.store;
  useEffect(() => points.forEach((point) => cards.ask(point)));
  if (!points.length) return null;
  return (
    <>
      <span class="nbe-faint">{title}</span>
      <div class="nbe-walk-cards" role="group" aria-label={title}>
        {points.map((point) => {
          const card = cards.get(point);
          const name = inline(card?.name ?? "") || `#${point}`;
          const text = card?.rows.find((row) => row.text)?.text ?? "";
          return (
            <button key={point} type="button" class="nbe-walk-card" title={strings.openTheCard(name)} onClick={() => view.showPoint(point)}>
              {card?.image && <img src={card.image} alt="" />}
              <b><bdi>{name}</bdi></b>
              {text && !card?.image && <span dir="auto">{plain(text).slice(0, 120)}</span>}
            </button>
          );
        })}
      </div>
    </>
  );
}
