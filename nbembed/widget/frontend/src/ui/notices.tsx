/** Errors: of the worker, of learning, and of refused commands, which can be dismissed. */
import type { View } from "../view";
import { Icon } from "./icons";

export function Notices({ view }: { view: View }) {
  const { refusal, stalled, traits } = view.store;
  const { error, learning_error: learningError } = traits;
  return (
    <>
      {error.value && (
        <div class="nbe-notice nbe-bad" role="alert">
          <span><b>The run stopped.</b> {error.value} <span class="nbe-faint">Labels and parameters are kept.</span></span>
          <button type="button" class="nbe-button" onClick={() => view.startAgain()}>Start again</button>
        </div>
      )}
      {learningError.value && <div class="nbe-notice" role="alert"><span><b>Not learned yet.</b> {learningError.value} <span class="nbe-faint">The map goes on as before.</span></span></div>}
      {refusal.value && (
        <div class="nbe-notice" role="alert">
          <span>{refusal.value}</span>
          <button type="button" class="nbe-inline" aria-label="Dismiss" title="Dismiss" onClick={() => (refusal.value = "")}><Icon name="close" /></button>
        </div>
      )}
      {stalled.value && <div class="nbe-notice" role="status">The kernel has not answered yet. It may be busy with a cell, or restarted.</div>}
    </>
  );
}
