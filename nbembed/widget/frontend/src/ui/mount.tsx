/** Mounts a view: its root element, theme and keys. */
import { render } from "preact";
import { handleKey } from "../keyboard";
import type { Store } from "../store";
import { followTheme } from "../theme";
import { View } from "../view";
import { App } from "./app";

export function mount(store: Store, el: HTMLElement): () => void {
  const root = document.createElement("div");
  root.className = "nbe";
  root.tabIndex = 0;
  root.setAttribute("role", "group");
  root.setAttribute("aria-label", "Embedding explorer");
  // Suppresses JupyterLab's shortcuts and context menu while the widget has the focus.
  root.setAttribute("data-lm-suppress-shortcuts", "true");
  root.setAttribute("data-jp-suppress-context-menu", "true");
  el.append(root);
  const view = new View(store);
  const { theme, stop } = followTheme(root);
  const keys = (event: KeyboardEvent): void => {
    if (handleKey(view, event)) event.preventDefault();
    // Keys pressed here must not reach the notebook.
    event.stopPropagation();
  };
  root.addEventListener("keydown", keys);
  render(<App view={view} theme={theme} root={root} />, root);
  return () => {
    root.removeEventListener("keydown", keys);
    render(null, root);
    view.destroy();
    stop();
    root.remove();
  };
}
