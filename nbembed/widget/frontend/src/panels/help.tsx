/** The dialog that lists keys and mouse actions. */
import { useLayoutEffect, useRef } from "preact/hooks";
import { KEYS, MOUSE } from "../view/keyboard";
import type { View } from "../view/view";
import { Icon } from "./icons";

export function Help({ view }: { view: View }) {
  const close = useRef<HTMLButtonElement>(null);
  const open = view.helpOpen.value;
  useLayoutEffect(() => {
    if (open) close.current?.focus({ preventScroll: true });
  }, [open]);
  if (!open) return null;
  return (
    <div class="nbe-help" role="dialog" aria-label="Keys and mouse">
      <div class="nbe-heading">
        <h3>Keys and mouse</h3>
        <button ref={close} type="button" class="nbe-inline" aria-label="Close help" onClick={() => view.showHelp(false)}><Icon name="close" /></button>
      </div>
      <button type="button" class="nbe-button" title="Map, names, sliders, suggestions, history, export: one after the other" onClick={() => view.beginTour()}>Tour of the Explorer, one minute</button>
      <Table rows={MOUSE} />
      <Table rows={KEYS} />
    </div>
  );
}

function Table({ rows }: { rows: readonly { label: string; help: string }[] }) {
  return <dl>{rows.map(({ label, help }, i) => <div key={i}><dt><kbd>{label}</kbd></dt><dd>{help}</dd></div>)}</dl>;
}
