/** The panel that says what distinguishes the selection: features, categories, words, mean images. */
import { inline, plain, pngUrl } from "../state/cards";
import type { ComponentChildren } from "preact";
import { useRef } from "preact/hooks";
import { type Against, type Group, type Listed } from "../state/group";
import type { View } from "../view/view";
import { minus, pText } from "../state/numbers";
import type { FindFilter, GroupColumn, GroupFeature, GroupShare, GroupSort, GroupWord, QueryAnswers } from "../wire/wire.generated";
import { Gallery } from "./gallery";
import { Histogram } from "./histogram";
import { Icon } from "./icons";
import { useRoving } from "./roving";
import { OtherMaps } from "./why";
import { useWatch } from "./watch";
import { Sentence } from "./sentence";
import * as strings from "../strings";

type Description = QueryAnswers["describe"];

const percent = (share: number): string => (share > 0 && share < 0.01 ? "<1 %" : share < 1 && share > 0.99 ? ">99 %" : `${Math.round(100 * share)} %`);

export function GroupPanel({ view }: { view: View }) {
  const { group } = view;
  useWatch(() => group.watch());
  const points = view.store.traits.selection.value;
  const found = group.description.value.value;
  const against = group.against.value;
  const others = against === "rest" ? "others" : against === "kept" ? "kept" : inline(view.store.traits.classes.value[against].name, 20);
  return (
    <div class="nbe-group">
      <section class="nbe-section">
        <Head view={view} />
        <Comparison view={view} />
        <Recurrence view={view} />
      </section>
      <Gallery view={view} />
      {group.isAll(points) && <section class="nbe-section"><p class="nbe-why">{strings.allPointsSelectedNoRest}</p></section>}
      {group.description.error.value && <section class="nbe-section"><p class="nbe-why">{inline(group.description.error.value, 300)}</p></section>}
      {found && points.length > 0 && (
        <div data-pending={group.description.pending.value} class="nbe-description">
          <Images found={found} others={others} />
          <Columns group={group} columns={found.categories} />
          <Table group={group} found={found} />
          <Words group={group} found={found} />
          <Features group={group} found={found} others={others} />
        </div>
      )}
    </div>
  );
}

function Head({ view }: { view: View }) {
  const { selection, n_samples: n } = view.store.traits;
  const size = selection.value.length;
  const open = view.dock.value === "rows";
  return (
    <>
      <div class="nbe-heading">
        <h3 class="nbe-group-size">{size ? <><Sentence parts={strings.groupSize(size.toLocaleString("en"), strings.count(n.value))} /> <span class="nbe-faint">{percent(size / n.value)}</span></> : strings.noGroupIsSelected}</h3>
      </div>
      {!size && <p class="nbe-why">{strings.groupEmpty}</p>}
      <div class="nbe-grid">
        <button
          type="button" class="nbe-button" aria-disabled={!size}
          title={size ? strings.compareGroupsHint : strings.selectPointsFirst}
          onClick={() => view.group.keep()}
        >
          {strings.compareGroups}
        </button>
        <button type="button" class="nbe-button" aria-pressed={open} title={strings.rowsHint} onClick={() => (view.dock.value = open ? "" : "rows")}>
          {strings.rows}
        </button>
      </div>
    </>
  );
}

/** In how many other maps the group is together, once somebody asks. */
function Recurrence({ view }: { view: View }) {
  const { why } = view;
  const { selection, n_samples: n } = view.store.traits;
  const size = selection.value.length;
  if (size < 2 || size === n.value) return null;
  if (!why.recurring.value && why.measure.value !== "stability") {
    return (
      <button
        type="button" class="nbe-button" title={strings.inOtherMapsHint}
        onClick={() => (why.recurring.value = true)}
      >
        {strings.inOtherMaps}
      </button>
    );
  }
  const found = why.recurrence.value.value;
  if (why.recurrence.error.value) return <p class="nbe-why">{inline(why.recurrence.error.value, 300)}</p>;
  if (!found?.ready) return <OtherMaps view={view} made={found} />;
  return (
    <p class="nbe-why" role="status" title={strings.togetherInOtherMapsHint}>
      <Sentence parts={strings.togetherInOtherMaps(found.together || strings.none, found.of)} />
    </p>
  );
}

/** What the group is compared with. */
function Comparison({ view }: { view: View }) {
  const { group } = view;
  const { selection, classes } = view.store.traits;
  const kept = group.kept.value;
  const against = group.against.value;
  if (!kept.length && !group.classes.value.length) return null;
  const change = (value: string): void => group.compareWith(value === "rest" || value === "kept" ? value : (Number(value) as Against));
  return (
    <>
      <label class="nbe-row">
        <span class="nbe-row-name">{strings.against}</span>
        <select class="nbe-select" aria-label={strings.compareWith} value={String(against)} onChange={(e) => change(e.currentTarget.value)}>
          <option value="rest">{strings.theRest}</option>
          {kept.length > 0 && <option value="kept">{strings.theKeptGroup(kept.length.toLocaleString("en"))}</option>}
          {group.classes.value.map((k) => <option key={k} value={String(k)}>{inline(classes.value[k].name)}</option>)}
        </select>
      </label>
      {against === "kept" && (
        <p class="nbe-why nbe-kept">
          <span>{!selection.value.length || group.isKept(selection.value) ? strings.selectGroupToCompare(kept.length.toLocaleString("en")) : strings.selectedComparedWithKept(selection.value.length.toLocaleString("en"), kept.length.toLocaleString("en"))}</span>
          <span class="nbe-steps">
            <button type="button" class="nbe-inline" aria-label={strings.swapTheTwoGroups} title={strings.swapTheTwoGroups} onClick={() => group.swap()}><Icon name="swap" /></button>
            <button type="button" class="nbe-inline" aria-label={strings.dropTheKeptGroup} title={strings.compareWithTheRestAgain} onClick={() => group.release()}><Icon name="close" /></button>
          </span>
        </p>
      )}
    </>
  );
}

function Images({ found, others }: { found: Description; others: string }) {
  if (!found.mean_image.length) return null;
  const all = found.averaged === found.size;
  const pictures: [string, Uint8Array, string][] = [
    [strings.theGroup, found.mean_image, all ? strings.meanImageHint : strings.meanImageOfSomeHint(found.averaged)],
    [others, found.other_image, strings.meanImageOfOthersHint],
    [strings.difference, found.difference, strings.imageDifferenceHint],
  ];
  return (
    <section class="nbe-section" aria-label={strings.meanImages}>
      <Title text={strings.meanImage} />
      <div class="nbe-means">
        {pictures.map(([title, bytes, hint]) => (
          <figure key={hint} title={hint}>
            <img src={pngUrl(bytes)} alt={`${hint}.`} onLoad={(e) => (e.currentTarget.dataset.small = String(e.currentTarget.naturalHeight < 96))} />
            <figcaption dir="auto">{title}</figcaption>
          </figure>
        ))}
      </div>
    </section>
  );
}

const NO_LIMIT = { low: null, high: null, categories: null, text: "" };

function Columns({ group, columns }: { group: Group; columns: GroupColumn[] }) {
  if (!columns.length) return null;
  return (
    <section class="nbe-section" aria-label={strings.categories}>
      {columns.map((column, k) => (
        <div key={k} class="nbe-lifts">
          <Title
            group={group} text={column.title} names={column.values.map(({ name }) => name)} note={column.association.toFixed(2)}
            hint={strings.associationHint(column.association.toFixed(2), pText(column.p_value))}
          />
          <List label={inline(column.title)}>
            {column.values.map((value, i) => (
              <Lift
                key={i} group={group} name={value.name} value={value} hint={strings.categoryCounts(value.count.toLocaleString("en"), value.other_count.toLocaleString("en"))}
                column={column} title={column.title} select={strings.selectItsPoints}
                filter={column.column === null || value.code === null ? null : { ...NO_LIMIT, column: column.column, categories: [value.code] }}
              />
            ))}
          </List>
          <More group={group} list="values" left={column.more} of={inline(column.title)} />
        </div>
      ))}
    </section>
  );
}

const SORTS: readonly [GroupSort, string][] = [["effect", strings.effect], ["share", strings.shareHighestFirst], ["p", strings.pValueWord]];

/** The order of features and words, and the file of them. */
function Table({ group, found }: { group: Group; found: Description }) {
  if (!found.features.length && !found.words.length) return null;
  return (
    <section class="nbe-section" aria-label={strings.order}>
      <div class="nbe-row">
        <label class="nbe-row">
          <span class="nbe-row-name">{strings.sortBy}</span>
          <select class="nbe-select" aria-label={strings.sortBy} value={group.sort.value} onChange={(e) => (group.sort.value = e.currentTarget.value as GroupSort)}>
            {SORTS.map(([value, text]) => <option key={value} value={value}>{text}</option>)}
          </select>
        </label>
        <button type="button" class="nbe-button nbe-table-file" title={strings.csvHint} onClick={() => group.save()}><Icon name="save" />{strings.csv}</button>
      </div>
      {group.problem && <p class="nbe-why" role="alert">{inline(group.problem, 200)}</p>}
    </section>
  );
}

function Words({ group, found: { words, words_left_out: left } }: { group: Group; found: Description }) {
  if (!words.length) return null;
  const most = Math.max(...words.map(({ share, other_share: other }) => Math.max(share, other)));
  return (
    <section class="nbe-section" aria-label={strings.overRepresented}>
      <Title group={group} text={strings.overRepresented} names={words.map(({ name }) => name)} hint={strings.overRepresentedHint} />
      <List label={strings.overRepresented} wide>
        {words.map((word, k) => (
          <Lift
            key={k} group={group} name={word.name} value={word} most={most} column={word} title={word.name} select={strings.selectPointsWithWord}
            hint={strings.wordHint((100 * word.share).toPrecision(2), (100 * word.other_share).toPrecision(2), word.z.toFixed(1), pText(word.p_value))}
            p={word.p_value} filter={word.column === null ? null : { ...NO_LIMIT, column: word.column, low: 1 }}
          />
        ))}
      </List>
      <More group={group} list="words" left={left} of="words" />
    </section>
  );
}

/** Rows that are one tab stop together; arrow keys go from one to the next. */
function List({ label, wide = false, children }: { label: string; wide?: boolean; children: ComponentChildren }) {
  const list = useRef<HTMLDivElement>(null);
  useRoving(list);
  return <div ref={list} role="list" aria-label={label} class={wide ? "nbe-lifts" : ""}>{children}</div>;
}

interface RowProps {
  group: Group;
  /** The name of its column. */
  title: string;
  hint: string;
  column: { color: number | null };
  /** The action of a click with Shift, and the filter that finds its points. */
  select: string;
  filter: FindFilter | null;
  kind: string;
  children: ComponentChildren;
}

/** A row as a button: a click colors by its column, with Shift it selects. */
function Row({ group, title, hint, column, select, filter, kind, children }: RowProps) {
  const able = column.color !== null;
  const does = able ? strings.colorByRowHint(inline(title), filter ? strings.withShiftHint(select) : "") : strings.nameFeaturesToColor;
  return (
    <div role="listitem">
      <button
        type="button" class={`nbe-group-row ${kind}`} aria-disabled={!able} title={`${hint} ${does}`}
        onClick={(e) => able && group.take(inline(title), column.color, e.shiftKey ? filter : null)}
      >
        {children}
      </button>
    </div>
  );
}

interface LiftProps {
  group: Group;
  name: string;
  value: Pick<GroupShare, "share" | "other_share" | "lift">;
  most?: number;
  hint: string;
  title: string;
  column: GroupColumn | GroupWord;
  select: string;
  filter: FindFilter | null;
  p?: number | null;
}

/** How often something occurs in the group, as a bar, and in the others, as a mark. */
function Lift({ name, value, most = 1, hint, p, ...row }: LiftProps) {
  const shares = most < 1 ? "" : strings.othersShare(percent(value.other_share));
  const lift = value.lift === 0 || value.lift >= 9.95 ? value.lift.toFixed(0) : value.lift.toFixed(1);
  const sure = p === undefined ? "" : pText(p);
  return (
    <Row {...row} kind="nbe-lift" hint={strings.categoryHint(inline(name), hint, shares, lift)}>
      <span class="nbe-lift-name" dir="auto">{plain(name) || "–"}</span>
      <span class="nbe-lift-bar" aria-hidden="true">
        <i style={{ width: `${(100 * value.share) / most}%` }} />
        <b style={{ left: `${(100 * value.other_share) / most}%` }} />
      </span>
      {sure ? <span class="nbe-lift-share nbe-lift-p nbe-faint">{sure}</span> : <span class="nbe-lift-share">{percent(value.share)}</span>}
      <span class="nbe-lift-factor">{lift}×</span>
    </Row>
  );
}

function Features({ group, found, others }: { group: Group; found: Description; others: string }) {
  if (!found.features.length) return null;
  return (
    <section class="nbe-section" aria-label={strings.features}>
      <Title group={group} text={strings.features} names={found.features.map(({ title }) => title)} note="effect" hint={strings.featuresHint} />
      <List label={strings.features} wide>
        {found.features.map((feature, k) => <Feature key={k} group={group} feature={feature} others={others} />)}
      </List>
      <More group={group} list="features" left={found.left_out} of="features" />
    </section>
  );
}

function Feature({ group, feature, others }: { group: Group; feature: GroupFeature; others: string }) {
  const { title, effect, larger, above, bars, other_bars: otherBars, column, p_value: p } = feature;
  const [mean, other, low, high, middle] = [feature.mean, feature.other_mean, feature.low, feature.high, feature.middle_text].map(minus);
  const text = `${larger ? "+" : "−"}${effect === null ? "∞" : Math.abs(effect).toFixed(2)}`;
  const hint = strings.featureHint(mean, other, percent(above), pText(p), low, high);
  return (
    <Row
      group={group} title={title} kind="nbe-feature" hint={`${inline(title)}: ${hint}`} column={feature}
      select={strings.selectPointsOfFeature(larger, middle)}
      filter={column === null ? null : { ...NO_LIMIT, column, [larger ? "low" : "high"]: feature.middle }}
    >
      <span class="nbe-feature-head">
        <span class="nbe-feature-name" dir="auto">{plain(title)}</span>
        <span class="nbe-effect" data-size={effect === null || Math.abs(effect) >= 0.8 ? "large" : "small"}>{text}</span>
      </span>
      <Histogram bars={bars} others={otherBars} />
      <span class="nbe-feature-means">
        <span>{mean}</span><span class="nbe-faint">{percent(above)} · {pText(p)}</span><span class="nbe-faint"><bdi>{others}</bdi> {other}</span>
      </span>
    </Row>
  );
}

/** How many rows a list does not show, and a button that shows some of them. */
function More({ group, list, left, of }: { group: Group; list: Listed; left: number; of: string }) {
  if (left < 1) return null;
  return (
    <button type="button" class="nbe-button" title={strings.showMore(of)} onClick={() => group.more(list)}>
      {strings.andMoreEllipsis(left.toLocaleString("en"))}
    </button>
  );
}

function Title({ group, text, names = [], note = "", hint = "" }: { group?: Group; text: string; names?: string[]; note?: string; hint?: string }) {
  return (
    <div class="nbe-heading" title={hint}>
      <h3 dir="auto">{plain(text)}</h3>
      <span class="nbe-steps">
        {note && <span class="nbe-faint nbe-note-small">{note}</span>}
        {group && <button type="button" class="nbe-inline" aria-label={strings.copyNamesOf(inline(text))} title={strings.copyNamesHint} onClick={() => void group.copy(names)}><Icon name="copy" /></button>}
      </span>
    </div>
  );
}
