/** The panel that says what distinguishes the selection: features, categories, words, mean images. */
import { inline, plain, pngUrl } from "../state/cards";
import { count, type Against } from "../state/group";
import type { View } from "../view/view";
import { minus } from "../state/numbers";
import type { GroupColumn, GroupFeature, GroupShare, GroupWord, QueryAnswers } from "../wire/wire.generated";
import { Histogram } from "./histogram";
import { Icon } from "./icons";
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
      </section>
      {group.isAll(points) && <section class="nbe-section"><p class="nbe-why">All points are selected: there is no rest to compare them with.</p></section>}
      {group.description.error.value && <section class="nbe-section"><p class="nbe-why">{inline(group.description.error.value, 300)}</p></section>}
      {found && points.length > 0 && (
        <div data-pending={group.description.pending.value} class="nbe-description">
          <Images found={found} others={others} />
          <Columns columns={found.categories} />
          <Words words={found.words} />
          <Features found={found} others={others} />
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

function Columns({ columns }: { columns: GroupColumn[] }) {
  if (!columns.length) return null;
  return (
    <section class="nbe-section" aria-label="Categories">
      {columns.map((column, k) => (
        <div key={k} class="nbe-lifts">
          <Title text={column.title} note={column.association.toFixed(2)} hint={`How much group and column go together: Cramér's V ${column.association.toFixed(2)}, from 0 to 1`} />
          <div role="list" aria-label={inline(column.title)}>
            {column.values.map((value, i) => <Lift key={i} name={value.name} value={value} hint={`${value.count.toLocaleString("en")} in the group, ${value.other_count.toLocaleString("en")} of the others`} />)}
          </div>
          {column.more > 0 && <p class="nbe-why">and {column.more} more</p>}
        </div>
      ))}
    </section>
  );
}

function Words({ words }: { words: GroupWord[] }) {
  if (!words.length) return null;
  const most = Math.max(...words.map(({ share, other_share: other }) => Math.max(share, other)));
  return (
    <section class="nbe-section" aria-label="Counted more often">
      <Title text="Counted more often" hint="By the log odds ratio in standard errors, with a prior that keeps rare ones from the top" />
      <div class="nbe-lifts" role="list" aria-label="Counted more often">
        {words.map((word, k) => <Lift key={k} name={word.name} value={word} most={most} hint={`${(100 * word.share).toPrecision(2)} % of all that is counted in the group, ${(100 * word.other_share).toPrecision(2)} % in the others; z = ${word.z.toFixed(1)}`} />)}
      </div>
    </section>
  );
}

/** How often something occurs in the group, as a bar, and in the others, as a mark. */
function Lift({ name, value, most = 1, hint }: { name: string; value: Pick<GroupShare, "share" | "other_share" | "lift">; most?: number; hint: string }) {
  const shares = most < 1 ? "" : `${percent(value.share)}, others ${percent(value.other_share)}, `;
  const lift = value.lift === 0 || value.lift >= 9.95 ? value.lift.toFixed(0) : value.lift.toFixed(1);
  return (
    <div role="listitem" class="nbe-lift" title={`${inline(name)}: ${hint}; lift ${lift}`} aria-label={`${inline(name)}: ${shares}lift ${lift}`}>
      <span class="nbe-lift-name" dir="auto">{plain(name) || "–"}</span>
      <span class="nbe-lift-bar" aria-hidden="true">
        <i style={{ width: `${(100 * value.share) / most}%` }} />
        <b style={{ left: `${(100 * value.other_share) / most}%` }} />
      </span>
      {most >= 1 && <span class="nbe-lift-share">{percent(value.share)}</span>}
      <span class="nbe-lift-factor">{lift}×</span>
    </div>
  );
}

function Features({ found, others }: { found: Description; others: string }) {
  if (!found.features.length) return null;
  return (
    <section class="nbe-section" aria-label="Features">
      <Title text="Features" note="effect" hint="Cohen's d: the difference of the means in standard deviations within the groups" />
      <div class="nbe-features" role="list" aria-label="Features by effect size">
        {found.features.map((feature, k) => <Feature key={k} feature={feature} others={others} />)}
      </div>
      {found.left_out > 0 && <p class="nbe-why">and {found.left_out.toLocaleString("en")} with smaller effects</p>}
    </section>
  );
}

function Feature({ feature, others }: { feature: GroupFeature; others: string }) {
  const { title, effect, larger, above, bars, other_bars: otherBars } = feature;
  const [mean, other, low, high] = [feature.mean, feature.other_mean, feature.low, feature.high].map(minus);
  const text = `${larger ? "+" : "−"}${effect === null ? "∞" : Math.abs(effect).toFixed(2)}`;
  const hint = `Mean ${mean}, of the others ${other}. In ${percent(above)} of pairs the point of the group has the larger value. Bars from ${low} to ${high}, of either group in units of its highest.`;
  return (
    <div role="listitem" class="nbe-feature" title={`${inline(title)}: ${hint}`} aria-label={`${inline(title)}: effect size ${text}. ${hint}`}>
      <div class="nbe-feature-head">
        <span class="nbe-feature-name" dir="auto">{plain(title)}</span>
        <span class="nbe-effect" data-size={effect === null || Math.abs(effect) >= 0.8 ? "large" : "small"}>{text}</span>
      </div>
      <Histogram bars={bars} others={otherBars} />
      <div class="nbe-feature-means" aria-hidden="true"><span>{mean}</span><span class="nbe-faint"><bdi>{others}</bdi> {other}</span></div>
    </div>
  );
}

function Title({ text, note = "", hint = "" }: { text: string; note?: string; hint?: string }) {
  return (
    <div class="nbe-heading" title={hint}>
      <h3 dir="auto">{plain(text)}</h3>
      {note && <span class="nbe-faint nbe-note-small">{note}</span>}
    </div>
  );
}
