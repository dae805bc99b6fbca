/** The map as a picture: title and legend on request, saved as a file or copied. */
import { useLayoutEffect, useRef } from "preact/hooks";
import type { View } from "../view/view";
import { Icon } from "./icons";
import * as strings from "../strings";

export function PictureDialog({ view }: { view: View }) {
  const field = useRef<HTMLInputElement>(null);
  const { changes } = view;
  const open = view.pictureOpen.value;
  useLayoutEffect(() => {
    if (open) field.current?.focus({ preventScroll: true });
  }, [open]);
  if (!open) return null;
  return (
    <div
      class="nbe-help nbe-picture" role="dialog" aria-label={strings.pictureOfTheMap}
      onKeyDown={(event) => {
        if (event.key !== "Escape") return;
        event.preventDefault();
        event.stopPropagation();
        view.showPicture(false);
      }}
    >
      <div class="nbe-heading">
        <h3>{strings.picture}</h3>
        <button type="button" class="nbe-inline" aria-label={strings.closeThePicture} title={strings.closeEsc} onClick={() => view.showPicture(false)}><Icon name="close" /></button>
      </div>
      <input ref={field} type="text" class="nbe-select" aria-label={strings.titleOfThePicture} placeholder={strings.titleOrNone} dir="auto" maxLength={200} value={changes.title.value} onInput={(e) => (changes.title.value = e.currentTarget.value)} />
      <label class="nbe-row nbe-check">
        <input type="checkbox" aria-label={strings.legend} checked={changes.legend.value} onChange={(e) => (changes.legend.value = e.currentTarget.checked)} />
        <span class="nbe-row-name">{strings.legend}</span>
      </label>
      <PictureFiles view={view} />
      <button type="button" class="nbe-button" title={strings.copyPictureHint} onClick={() => void changes.copyPicture()}><Icon name="copy" />{strings.copy}</button>
      {changes.problem.value && <p class="nbe-why" role="alert">{changes.problem.value}</p>}
    </div>
  );
}

/** Buttons that save the picture. */
export function PictureFiles({ view: { changes } }: { view: View }) {
  return (
    <div class="nbe-grid">
      <button type="button" class="nbe-button" title={strings.pngHint} onClick={() => void changes.picture("png")}><Icon name="save" />{strings.png}</button>
      <button type="button" class="nbe-button" title={strings.svgHint} onClick={() => void changes.picture("svg")}><Icon name="save" />{strings.svg}</button>
    </div>
  );
}
