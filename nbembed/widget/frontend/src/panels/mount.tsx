/** Mounts a view: its root element, theme and keys. */
import type { Host } from "@anywidget/types";
import type { Signal } from "@preact/signals";
import { render, type ComponentType } from "preact";
import { handleKey } from "../view/keyboard";
import type { Store } from "../state/store";
import { hideStillOutput } from "../host/still_output";
import { followTheme, type Theme } from "../host/theme";
import { leftPlace } from "../view/place";
import { View } from "../view/view";
import * as strings from "../strings";

/** What a view consists of. */
export type Layout = ComponentType<{ view: View; theme: Signal<Theme>; root: HTMLElement }>;

interface Options {
  /** Handles a key and says whether it was one of the Explorer's. */
  keys?: typeof handleKey;
  /** Whether the page has no kernel. */
  still?: boolean;
  /** Shows other widgets; older hosts of widgets do not. */
  host?: Host;
}

export function mount(store: Store, el: HTMLElement, Layout: Layout, { keys = handleKey, still = false, host }: Options = {}): () => void {
  const root = document.createElement("div");
  root.className = "nbe";
  root.tabIndex = 0;
  root.setAttribute("role", "group");
  root.setAttribute("aria-label", strings.embeddingExplorer);
  // Suppresses JupyterLab's shortcuts and context menu while the widget has the focus.
  root.setAttribute("data-lm-suppress-shortcuts", "true");
  root.setAttribute("data-jp-suppress-context-menu", "true");
  el.append(root);
  // On a map of some points, in the place of another Explorer's.
  const inside = el.closest(".nbe") !== null;
  const { theme, stop } = followTheme(root);
  const view = new View(store, theme, still, host, inside, leftPlace(el));
  const pressed = (event: KeyboardEvent): void => {
    if (keys(view, event)) event.preventDefault();
    // Keys pressed here must not reach the notebook; inside, they may be for the way back.
    if (!inside) event.stopPropagation();
  };
  root.addEventListener("keydown", pressed);
  const show = inside ? () => undefined : hideStillOutput(root);
  render(<Layout view={view} theme={theme} root={root} />, root);
  return () => {
    root.removeEventListener("keydown", pressed);
    render(null, root);
    view.destroy();
    show();
    stop();
    root.remove();
  };
}
