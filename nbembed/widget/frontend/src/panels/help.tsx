/** The dialog that lists keys and mouse actions. */
import { useLayoutEffect, useRef } from "preact/hooks";
import { KEYS, MOUSE } from "../view/keyboard";
import type { View } from "../view/view";
import { Icon } from "./icons";
import * as strings from "../strings";

export function Help({ view }: { view: View }) {
  const close = useRef<HTMLButtonElement>(null);
  const open = view.helpOpen.value;
  useLayoutEffect(() => {
    if (open) close.current?.focus({ preventScroll: true });
  }, [open]);
  if (!open) return null;
  return (
    <div class="nbe-help" role="dialog" aria-label={strings.keysAndMouse}>
      <div class="nbe-heading">
        <h3>{strings.keysAndMouse}</h3>
        <button ref={close} type="button" class="nbe-inline" aria-label={strings.closeHelp} onClick={() => view.showHelp(false)}><Icon name="close" /></button>
      </div>
      <button type="button" class="nbe-button" title={strings.tourHint} onClick={() => view.beginTour()}>{strings.tourButton}</button>
      <Table rows={MOUSE} />
      <Table rows={KEYS} />
    </div>
  );
}

function Table({ rows }: { rows: readonly { label: string; help: string }[] }) {
  return <dl>{rows.map(({ label, help }, i) => <div key={i}><dt><kbd>{label}</kbd></dt><dd>{help}</dd></div>)}</dl>;
}
