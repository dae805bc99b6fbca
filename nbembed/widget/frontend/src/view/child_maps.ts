/**
 * Other maps, each an Explorer of its own: of the selection, of new rows, or of the same points prepared otherwise.
 * They are opened over the map, which rests meanwhile, and closed. Where the host shows no widget in another's place
 * there are none.
 */
import type { Host } from "@anywidget/types";
import { effect, signal } from "@preact/signals";
import { focusIsIn } from "../host/roots";
import type { Store } from "../state/store";
import { leavePlace, placeOf } from "./place";
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
  /** The widget of the map that is seen: the open one as soon as it is there, "" before. */
  readonly shown = signal("");
  /** The place of the open map among the others, which another one may take over. */
  private place = -1;
  private current: { el: HTMLElement; end: AbortController } | null = null;
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
      if (store.link.state.value === "gone") this.leave(strings.childMapEndedWithKernel);
      else if (!known.value.some(({ widget }) => widget === open)) {
        const next = known.value.find(({ place }) => place === this.place);
        if (next) this.show(next.widget);
        else this.leave(strings.childMapClosed);
      }
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
      this.actions.say(strings.selectPointsForMap(FEWEST));
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
    this.place = this.store.traits.child_maps.peek().find((map) => map.widget === widget)?.place ?? -1;
    this.open.value = widget;
  }

  /** Return to the map of all points. */
  leave(why = strings.mapOfAll(strings.count(this.store.traits.n_samples.peek()))): void {
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

  /** Show the open map in a box; what it shows stays until the map is there. */
  async mount(box: HTMLElement): Promise<void> {
    const widget = this.open.peek();
    const el = document.createElement("div");
    const end = new AbortController();
    const wanted = (): boolean => this.open.peek() === widget && box.isConnected;
    el.className = "nbe-child-map";
    try {
      const found = await this.host?.getWidget(widget);
      if (!wanted()) return;
      if (this.store.traits.child_maps.peek().some((map) => map.widget === widget && map.prepared)) {
        const before = this.current?.el ?? box.parentElement?.querySelector(":scope > .nbe-own");
        if (before) leavePlace(el, placeOf(before));
      }
      box.append(el);
      await found?.render({ el, signal: end.signal });
      if (!wanted()) {
        end.abort();
        el.remove();
        return;
      }
      if (!focusIsIn(el)) el.querySelector<HTMLElement>(".nbe")?.focus({ preventScroll: true });
      this.unmount();
      this.current = { el, end };
      this.shown.value = widget;
    } catch (error) {
      console.error("nbembed: another map could not be shown", error);
      el.remove();
      if (wanted()) this.leave(strings.childMapNotShown);
    }
  }

  /** Show nothing. */
  unmount(): void {
    this.current?.end.abort();
    this.current?.el.remove();
    this.current = null;
    this.shown.value = "";
  }
}
