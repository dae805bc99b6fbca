/** The module that anywidget loads: one store for each widget, and any number of views. */
import type { Initialize, Render } from "@anywidget/types";
import { Store } from "./state/store";
import { App } from "./panels/app";
import { mount } from "./panels/mount";
import type { Model } from "./wire/wire";

type State = Record<string, unknown>;

/** Called once for each widget; its views share the store that `initialize` makes. */
export default function explorer(): { initialize: Initialize<State>; render: Render<State> } {
  let store: Store | null = null;
  return {
    initialize({ model }) {
      const own = (store = new Store(model as Model));
      return () => {
        own.destroy();
        if (store === own) store = null;
      };
    },
    render({ model, el, host }) {
      // For a host that renders without initializing, the view has a store of its own.
      const shared = store;
      const own = shared ?? new Store(model as Model);
      const unmount = mount(own, el, App, { host });
      return () => {
        unmount();
        if (!shared) own.destroy();
      };
    },
  };
}
