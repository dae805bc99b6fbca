/** The module that anywidget loads: one store a widget, any number of views of it. */
import type { Initialize, Render } from "@anywidget/types";
import { Store } from "./store";
import { mount } from "./ui/mount";
import type { Model } from "./wire";

type State = Record<string, unknown>;

/** Called once a widget, so that its views share what `initialize` makes. */
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
    render({ model, el }) {
      // A host that renders without initializing still gets a store, which lives as long as its view.
      const shared = store;
      const own = shared ?? new Store(model as Model);
      const unmount = mount(own, el);
      return () => {
        unmount();
        if (!shared) own.destroy();
      };
    },
  };
}
