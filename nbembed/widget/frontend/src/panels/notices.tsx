/** Errors: of the worker, of learning, and of refused commands, which can be dismissed. */
import { inline } from "../state/cards";
import { download, supervisionOf } from "../state/labels_file";
import type { View } from "../view/view";
import { Icon } from "./icons";
import { Sentence } from "./sentence";
import * as strings from "../strings";

/** Characters of a sentence from the kernel. */
const LONGEST = 600;

export function Notices({ view }: { view: View }) {
  const { refusal, link, traits } = view.store;
  const { error, learning_error: learningError, remark, worse_optimum: worse, save_error: saveError } = traits;
  return (
    <>
      {link.state.value === "gone" && <Gone view={view} />}
      {error.value && (
        <div class="nbe-notice nbe-bad" role="alert">
          <span><b>{strings.runStopped}</b> {inline(error.value, LONGEST)} <span class="nbe-faint">{strings.runStoppedNote}</span></span>
          <button type="button" class="nbe-button" onClick={() => view.startAgain()}>{strings.startAgain}</button>
        </div>
      )}
      {learningError.value && <div class="nbe-notice" role="alert"><span><b>{strings.notLearnedYet}</b> {inline(learningError.value, LONGEST)} <span class="nbe-faint">{strings.mapGoesOn}</span></span></div>}
      {saveError.value && <div class="nbe-notice nbe-bad" role="alert"><span><b>{strings.notSaved}</b> {inline(saveError.value, LONGEST)} <span class="nbe-faint">{strings.savingTriedAgain}</span></span></div>}
      {remark.value && <div class="nbe-notice" role="status"><span><b>{strings.aboutYourData}</b> {inline(remark.value, LONGEST)}</span></div>}
      {worse.value && link.state.value !== "gone" && (
        <div class="nbe-notice" role="status">
          <span><b>{strings.aBetterMapExists}</b> {inline(worse.value, LONGEST)}. <span class="nbe-faint">{strings.runStoppedNote}</span></span>
          <button type="button" class="nbe-button" onClick={() => view.startAgain()}>{strings.startOver}</button>
        </div>
      )}
      {refusal.value && (
        <div class="nbe-notice" role="alert">
          <span>{inline(refusal.value, LONGEST)}</span>
          <button type="button" class="nbe-inline" aria-label={strings.dismiss} title={strings.dismiss} onClick={() => (refusal.value = "")}><Icon name="close" /></button>
        </div>
      )}
      {link.state.value === "busy" && <div class="nbe-notice" role="status">{strings.kernelBusy}</div>}
      {link.state.value === "lost" && <div class="nbe-notice" role="status">{strings.connectionLost}</div>}
    </>
  );
}

/** The kernel has ended: what is still possible, and what was said can be kept. */
function Gone({ view }: { view: View }) {
  const said = supervisionOf(view.store);
  const file = view.store.traits.saved_to.value;
  return (
    <div class="nbe-notice nbe-bad" role="alert">
      <span>
        <Sentence parts={file ? strings.kernelGoneGoOn(inline(file)) : strings.kernelGoneNewMap} />{" "}
        <span class="nbe-faint">{strings.kernelGoneNote}</span>
      </span>
      {said && <button type="button" class="nbe-button" title={strings.saveLabelsHint} onClick={() => download(said, "labels.json")}>{strings.saveLabels}</button>}
    </div>
  );
}
