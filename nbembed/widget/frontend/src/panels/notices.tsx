/** Errors: of the worker, of learning, and of refused commands, which can be dismissed. */
import { inline } from "../state/cards";
import { download, supervisionOf } from "../state/labels_file";
import type { View } from "../view/view";
import { Icon } from "./icons";

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
          <span><b>The run stopped.</b> {inline(error.value, LONGEST)} <span class="nbe-faint">Labels and parameters are kept.</span></span>
          <button type="button" class="nbe-button" onClick={() => view.startAgain()}>Start again</button>
        </div>
      )}
      {learningError.value && <div class="nbe-notice" role="alert"><span><b>Not learned yet.</b> {inline(learningError.value, LONGEST)} <span class="nbe-faint">The map goes on as before.</span></span></div>}
      {saveError.value && <div class="nbe-notice nbe-bad" role="alert"><span><b>Not saved.</b> {inline(saveError.value, LONGEST)} <span class="nbe-faint">It is tried again.</span></span></div>}
      {remark.value && <div class="nbe-notice" role="status"><span><b>About your data:</b> {inline(remark.value, LONGEST)}</span></div>}
      {worse.value && link.state.value !== "gone" && (
        <div class="nbe-notice" role="status">
          <span><b>A better map exists.</b> {inline(worse.value, LONGEST)}. <span class="nbe-faint">Labels and parameters are kept.</span></span>
          <button type="button" class="nbe-button" onClick={() => view.startAgain()}>Start over</button>
        </div>
      )}
      {refusal.value && (
        <div class="nbe-notice" role="alert">
          <span>{inline(refusal.value, LONGEST)}</span>
          <button type="button" class="nbe-inline" aria-label="Dismiss" title="Dismiss" onClick={() => (refusal.value = "")}><Icon name="close" /></button>
        </div>
      )}
      {link.state.value === "busy" && <div class="nbe-notice" role="status">The kernel has not answered yet; it may be busy with a cell. What you do here takes effect when it answers.</div>}
      {link.state.value === "lost" && <div class="nbe-notice" role="status">The connection to the kernel is lost. The map goes on when it is back.</div>}
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
        <b>The kernel is gone.</b> It was restarted or has stopped: run the cell again {file ? <>to go on from <b dir="auto">{inline(file)}</b>, with labels, parameters and map</> : "for a new map"}.{" "}
        <span class="nbe-faint">This one can still be looked at.</span>
      </span>
      {said && <button type="button" class="nbe-button" title="Save labels, links and pins as a file that Supervision.from_dict reads" onClick={() => download(said, "labels.json")}>Save labels</button>}
    </div>
  );
}
