/** The panel of the chosen class: its color and shape, its place, hiding, merging and removing it. */
import { useRef } from "preact/hooks";
import { shownCss } from "../points/contrast";
import type { View } from "../view/view";
import { CLASS_COLORS, MARKER_SYMBOLS, type ClassInfo } from "../wire/wire.generated";
import { ClassSymbol } from "./class_symbol";
import { useFocusKept } from "./focus";
import { Icon } from "./icons";
import { useRoving } from "./roving";
import * as strings from "../strings";

export function ClassEditor({ view, info, index }: { view: View; info: ClassInfo; index: number }) {
  const { classEdits } = view;
  const ref = useFocusKept<HTMLDivElement>();
  const colors = useRef<HTMLDivElement>(null);
  const shapes = useRef<HTMLDivElement>(null);
  useRoving(colors);
  useRoving(shapes);
  const classes = view.store.traits.classes.value;
  const { name, color, symbol, hidden } = info;
  const others = classes.filter((c) => c.name !== name);
  const count = view.counts.value[index] ?? 0;
  return (
    <div ref={ref} class="nbe-class-editor" role="group" aria-label={strings.edit(name)}>
      <div ref={colors} class="nbe-swatches" role="radiogroup" aria-label={strings.color}>
        {CLASS_COLORS.map((each) => (
          <button
            key={each} type="button" class="nbe-swatch" role="radio" aria-checked={each === color.toUpperCase()} aria-label={strings.colorChoice(each)}
            title={each} style={{ background: shownCss(each, view.theme.value) }} onClick={() => classEdits.style(name, { color: each })}
          />
        ))}
        <input
          type="color" class="nbe-swatch" aria-label={strings.otherColor} title={strings.anotherColor} value={color.toLowerCase()}
          onChange={(e) => classEdits.style(name, { color: e.currentTarget.value.toUpperCase() })}
        />
      </div>
      <div ref={shapes} class="nbe-swatches" role="radiogroup" aria-label={strings.shape}>
        {MARKER_SYMBOLS.map((each) => (
          <button key={each} type="button" class="nbe-symbol-choice" role="radio" aria-checked={each === symbol} aria-label={each} title={each} onClick={() => classEdits.style(name, { symbol: each })}>
            <ClassSymbol view={view} info={{ color, symbol: each }} />
          </button>
        ))}
      </div>
      <div class="nbe-class-actions">
        <button type="button" class="nbe-inline" aria-label={strings.moveClassUp} title={strings.moveClassUpHint} aria-disabled={info.place === 0} onClick={() => classEdits.move(name, -1)}><Icon name="up" /></button>
        <button type="button" class="nbe-inline" aria-label={strings.moveClassDown} title={strings.moveClassDownHint} aria-disabled={info.place === classes.length - 1} onClick={() => classEdits.move(name, 1)}><Icon name="down" /></button>
        <button type="button" class="nbe-inline" aria-label={hidden ? strings.showClassPoints : strings.hideClassPoints} aria-pressed={hidden} title={hidden ? strings.showClassPointsHint : strings.hideClassPointsHint} onClick={() => classEdits.style(name, { hidden: !hidden })}>
          <Icon name={hidden ? "hidden" : "eye"} />
        </button>
        <button type="button" class="nbe-inline" aria-label={strings.renameClass} title={strings.renameClassHint} onClick={() => (view.classEdits.renaming.value = name)}><Icon name="pencil" /></button>
        <button type="button" class="nbe-inline" aria-label={strings.removeClass} title={strings.removeClassHint(count)} onClick={() => classEdits.remove(name)}><Icon name="trash" /></button>
        <select
          class="nbe-select nbe-merge" aria-label={strings.mergeInto} title={strings.mergeIntoHint} disabled={!others.length} value=""
          onChange={(e) => {
            const into = e.currentTarget.value;
            e.currentTarget.value = "";
            if (into) classEdits.merge(name, into);
          }}
        >
          <option value="">{strings.mergeIntoChoice}</option>
          {others.map((c) => <option key={c.name} value={c.name}>{c.name}</option>)}
        </select>
      </div>
    </div>
  );
}
