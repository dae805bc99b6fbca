/**
 * Maps of some of the points, each an Explorer of its own: made of the selection, opened over the map, which
 * rests meanwhile, and closed. Where the host shows no widget in another's place there are none.
 */
import type { Host } from "@anywidget/types";
import { effect, signal } from "@preact/signals";
import type { Store } from "../state/store";
import * as strings from "../strings";

/** Points of which a map can be made. */
export const FEWEST = 4;

interface Actions {
  say: (message: string) => void;
  able: () => boolean;
  /** Start or pause the map. */
  togglePlay: () => void;
}

export class ChildMaps {
  /** The widget of the open map, "" for none. */
  readonly open = signal("");
  /** Whether the map was paused for the one that is open. */
  private paused = false;
  private readonly stop: () => void;

  constructor(
    private readonly store: Store,
    private readonly host: Host | null,
    private readonly actions: Actions,
  ) {
    const { child_maps: known } = store.traits;
    this.stop = effect(() => {
      const open = this.open.value;
      if (!open) return;
      if (store.link.state.value === "gone") this.leave(strings.theMapOfSomePoints);
      else if (!known.value.some(({ widget }) => widget === open)) this.leave(strings.theMapOfSomePointsWas);
    });
  }

  destroy(): void {
    this.stop();
  }

  /** Whether such maps can be made and opened. marimo ends widgets that no cell has made. */
  get possible(): boolean {
    return typeof this.host?.getWidget === "function" && !this.store.traits.reactive.peek() && this.store.link.state.value !== "gone";
  }

  /** Make a map of the selected points alone, and open it. */
  async make(): Promise<void> {
    const points = this.store.traits.selection.peek();
    if (!this.possible || !this.actions.able()) return;
    if (points.length < FEWEST) {
      this.actions.say(strings.selectAtLeastPointsToMake(FEWEST));
      return;
    }
    this.actions.say(strings.makingAMap(strings.count(points.length)));
    const { ok } = await this.store.commands.send("map_of", {}, [points]);
    const made = this.store.traits.child_maps.peek().at(-1);
    if (ok && made) this.show(made.widget);
  }

  show(widget: string): void {
    if (!this.open.peek() && this.store.traits.state.peek() === "running") {
      this.paused = true;
      this.actions.togglePlay();
    }
    this.open.value = widget;
  }

  /** Return to the map of all points. */
  leave(why = strings.mapOf(strings.count(this.store.traits.n_samples.peek()))): void {
    this.open.value = "";
    if (this.paused && this.store.traits.state.peek() === "paused" && this.store.link.state.peek() !== "gone") this.actions.togglePlay();
    this.paused = false;
    this.actions.say(why);
  }

  /** End a map; its labels are those of the map of all points, too. */
  close(widget: string): void {
    if (!this.actions.able()) return;
    if (this.open.peek() === widget) this.leave();
    void this.store.commands.send("close_map", { widget }, []);
  }

  /** Show the open map in an element; returns what removes it. */
  mount(element: HTMLElement): () => void {
    const shown = new AbortController();
    void this.render(element, shown.signal);
    return () => shown.abort();
  }

  private async render(el: HTMLElement, signal: AbortSignal): Promise<void> {
    try {
      const widget = await this.host?.getWidget(this.open.peek());
      if (!signal.aborted) await widget?.render({ el, signal });
      if (!signal.aborted) el.querySelector<HTMLElement>(".nbe")?.focus({ preventScroll: true });
    } catch (error) {
      console.error("nbembed: a map of some points could not be shown", error);
      if (!signal.aborted) this.leave(strings.theMapOfSomePointsCould);
    }
  }
}
