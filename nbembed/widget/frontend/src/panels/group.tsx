/** The panel that says what distinguishes the selection: features, categories, words, mean images. */
import { inline, plain, pngUrl } from "../state/cards";
import type { ComponentChildren } from "preact";
import { useRef } from "preact/hooks";
import { count, type Against, type Group, type Listed } from "../state/group";
import type { View } from "../view/view";
import { minus, pText } from "../state/numbers";
import type { FindFilter, GroupColumn, GroupFeature, GroupShare, GroupSort, GroupWord, QueryAnswers } from "../wire/wire.generated";
import { Histogram } from "./histogram";
import { Icon } from "./icons";
import { useRoving } from "./roving";
import { OtherMaps } from "./why";
import { useWatch } from "./watch";

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
      {group.isAll(points) && <section class="nbe-section"><p class="nbe-why">All points are selected: there is no rest to compare them with.</p></section>}
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
        <h3 class="nbe-group-size">{size ? <><b>{size.toLocaleString("en")}</b> of {count(n.value)} <span class="nbe-faint">{percent(size / n.value)}</span></> : "No group is selected"}</h3>
      </div>
      {!size && <p class="nbe-why">Select points, with the lasso or by the number beside a class: here you see what distinguishes them.</p>}
      <div class="nbe-grid">
        <button
          type="button" class="nbe-button" aria-disabled={!size}
          title={size ? "Keep this group, and compare the one that you select next with it" : "Select points first"}
          onClick={() => view.group.keep()}
        >
          Compare …
        </button>
        <button type="button" class="nbe-button" aria-pressed={open} title="The points as rows of a table, below the map" onClick={() => (view.dock.value = open ? "" : "rows")}>
          Rows
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
        type="button" class="nbe-button" title="Make maps of other seeds and nine tenths of the points while this one rests, and see in how many of them these points are together"
        onClick={() => (why.recurring.value = true)}
      >
        In other maps …
      </button>
    );
  }
  const found = why.recurrence.value.value;
  if (why.recurrence.error.value) return <p class="nbe-why">{inline(why.recurrence.error.value, 300)}</p>;
  if (!found?.ready) return <OtherMaps view={view} made={found} />;
  return (
    <p class="nbe-why" role="status" title="Together: in one piece, and at least nine tenths as much among each other as here. The maps are of other seeds and nine tenths of the points, without labels">
      Together in <b>{found.together || "none"} of {found.of}</b> other maps
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
        <span class="nbe-row-name">Against</span>
        <select class="nbe-select" aria-label="Compare with" value={String(against)} onChange={(e) => change(e.currentTarget.value)}>
          <option value="rest">the rest</option>
          {kept.length > 0 && <option value="kept">the kept group ({kept.length.toLocaleString("en")})</option>}
          {group.classes.value.map((k) => <option key={k} value={String(k)}>{inline(classes.value[k].name)}</option>)}
        </select>
      </label>
      {against === "kept" && (
        <p class="nbe-why nbe-kept">
          <span>{!selection.value.length || group.isKept(selection.value) ? `Now select what you want to compare with the ${kept.length.toLocaleString("en")} kept.` : `${selection.value.length.toLocaleString("en")} selected, compared with ${kept.length.toLocaleString("en")} kept`}</span>
          <span class="nbe-steps">
            <button type="button" class="nbe-inline" aria-label="Swap the two groups" title="Swap the two groups" onClick={() => group.swap()}><Icon name="swap" /></button>
            <button type="button" class="nbe-inline" aria-label="Drop the kept group" title="Compare with the rest again" onClick={() => group.release()}><Icon name="close" /></button>
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
    ["group", found.mean_image, all ? "The mean of the group's images" : `The mean of ${found.averaged} of the group's images, evenly spaced`],
    [others, found.other_image, "The mean of the others' images"],
    ["difference", found.difference, "Orange: brighter in the group; blue: darker"],
  ];
  return (
    <section class="nbe-section" aria-label="Mean images">
      <Title text="Mean image" />
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
    <section class="nbe-section" aria-label="Categories">
      {columns.map((column, k) => (
        <div key={k} class="nbe-lifts">
          <Title
            group={group} text={column.title} names={column.values.map(({ name }) => name)} note={column.association.toFixed(2)}
            hint={`How much group and column go together: Cramér's V ${column.association.toFixed(2)}, from 0 to 1; ${pText(column.p_value)} (χ² test, adjusted)`}
          />
          <List label={inline(column.title)}>
            {column.values.map((value, i) => (
              <Lift
                key={i} group={group} name={value.name} value={value} hint={`${value.count.toLocaleString("en")} in the group, ${value.other_count.toLocaleString("en")} of the others`}
                column={column} title={column.title} select="select its points"
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

const SORTS: readonly [GroupSort, string][] = [["effect", "effect"], ["share", "share, highest first"], ["p", "p-value"]];

/** The order of features and words, and the file of them. */
function Table({ group, found }: { group: Group; found: Description }) {
  if (!found.features.length && !found.words.length) return null;
  return (
    <section class="nbe-section" aria-label="Order">
      <div class="nbe-row">
        <label class="nbe-row">
          <span class="nbe-row-name">Sort by</span>
          <select class="nbe-select" aria-label="Sort by" value={group.sort.value} onChange={(e) => (group.sort.value = e.currentTarget.value as GroupSort)}>
            {SORTS.map(([value, text]) => <option key={value} value={value}>{text}</option>)}
          </select>
        </label>
        <button type="button" class="nbe-button nbe-table-file" title="Save all features and words with effects, means, shares and p-values as CSV" onClick={() => group.save()}><Icon name="save" />CSV</button>
      </div>
      {group.problem && <p class="nbe-why" role="alert">{inline(group.problem, 200)}</p>}
    </section>
  );
}

function Words({ group, found: { words, words_left_out: left } }: { group: Group; found: Description }) {
  if (!words.length) return null;
  const most = Math.max(...words.map(({ share, other_share: other }) => Math.max(share, other)));
  return (
    <section class="nbe-section" aria-label="Over-represented">
      <Title group={group} text="Over-represented" names={words.map(({ name }) => name)} hint="What is counted more often in the group: by the log odds ratio in standard errors, with a prior that keeps rare ones from the top" />
      <List label="Over-represented" wide>
        {words.map((word, k) => (
          <Lift
            key={k} group={group} name={word.name} value={word} most={most} column={word} title={word.name} select="select the points that have it"
            hint={`${(100 * word.share).toPrecision(2)} % of all that is counted in the group, ${(100 * word.other_share).toPrecision(2)} % in the others; z = ${word.z.toFixed(1)}, ${pText(word.p_value)} (adjusted)`}
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
  const does = able ? `Click or Enter: color by ${inline(title)}${filter ? `; with Shift: ${select}` : ""}` : "To color by features, give them names with feature_names";
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
  const shares = most < 1 ? "" : `, others ${percent(value.other_share)}`;
  const lift = value.lift === 0 || value.lift >= 9.95 ? value.lift.toFixed(0) : value.lift.toFixed(1);
  const sure = p === undefined ? "" : pText(p);
  return (
    <Row {...row} kind="nbe-lift" hint={`${inline(name)}: ${hint}${shares}; lift ${lift}.`}>
      <span class="nbe-lift-name" dir="auto">{plain(name) || "–"}</span>
      <span class="nbe-lift-bar" aria-hidden="true">
        <i style={{ width: `${(100 * value.share) / most}%` }} />
        <b style={{ left: `${(100 * value.other_share) / most}%` }} />
      </span>
      {sure ? <span class="nbe-lift-share nbe-faint">{sure}</span> : <span class="nbe-lift-share">{percent(value.share)}</span>}
      <span class="nbe-lift-factor">{lift}×</span>
    </Row>
  );
}

function Features({ group, found, others }: { group: Group; found: Description; others: string }) {
  if (!found.features.length) return null;
  return (
    <section class="nbe-section" aria-label="Features">
      <Title group={group} text="Features" names={found.features.map(({ title }) => title)} note="effect" hint="Cohen's d: the difference of the means in standard deviations within the groups" />
      <List label="Features" wide>
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
  const hint = `Mean ${mean}, of the others ${other}. In ${percent(above)} of pairs the point of the group has the larger value. ${pText(p)} (Welch's t-test, adjusted). Bars from ${low} to ${high}, of either group in units of its highest.`;
  return (
    <Row
      group={group} title={title} kind="nbe-feature" hint={`${inline(title)}: ${hint}`} column={feature}
      select={`select the points with at ${larger ? "least" : "most"} ${middle}, halfway between the means`}
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
    <button type="button" class="nbe-button" title={`Show more of ${of}`} onClick={() => group.more(list)}>
      and {left.toLocaleString("en")} more …
    </button>
  );
}

function Title({ group, text, names = [], note = "", hint = "" }: { group?: Group; text: string; names?: string[]; note?: string; hint?: string }) {
  return (
    <div class="nbe-heading" title={hint}>
      <h3 dir="auto">{plain(text)}</h3>
      <span class="nbe-steps">
        {note && <span class="nbe-faint nbe-note-small">{note}</span>}
        {group && <button type="button" class="nbe-inline" aria-label={`Copy the names of ${inline(text)}`} title="Copy the names that are listed, a line for each" onClick={() => void group.copy(names)}><Icon name="copy" /></button>}
      </span>
    </div>
  );
}
