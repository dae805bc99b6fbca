/** Links and pins of the selected points, and taking back all that is said of them. */
import { computed, signal } from "@preact/signals";
import type { Store } from "../state/store";
import type { CommandArguments, CommandName, CommandPoints } from "../wire/wire.generated";
import * as strings from "../strings";

/** What the links need of their view. */
interface Host {
  say: (message: string) => void;
  able: () => boolean;
  /** Select nothing. */
  clear: () => void;
}

export class Links {
  /** The first group of a cannot-link while the second is being selected. */
  readonly apart = signal<Uint32Array | null>(null);
  /** Whether all selected points are pinned; the pin button then unpins them. */
  readonly held = computed(() => {
    const pinned = new Set(this.store.traits.pinned.value);
    const points = this.store.traits.selection.value;
    return points.length > 0 && points.every((i) => pinned.has(i));
  });

  constructor(
    private readonly store: Store,
    private readonly host: Host,
  ) {}

  mustLink(): void {
    const points = this.store.traits.selection.peek();
    if (points.length < 2) {
      this.host.say(strings.selectTwoPointsToLink);
      return;
    }
    this.give("must_link", {}, [points], strings.mustLinked(strings.count(points.length)));
  }

  /** Pin the selected points, or unpin them if all are pinned. */
  pin(): void {
    const points = this.store.traits.selection.peek();
    if (!points.length) {
      this.host.say(strings.selectPointsToPin);
      return;
    }
    const held = this.held.peek();
    this.give(held ? "unpin" : "pin", {}, [points], `${strings.count(points.length)} ${held ? "unpinned" : "pinned"}`);
  }

  /** Choose the first group of a cannot-link, then the second. */
  keepApart(): void {
    const points = this.store.traits.selection.peek();
    const first = this.apart.peek();
    if (!points.length) {
      this.host.say(first ? strings.selectPointsToKeepApartFrom(first.length) : strings.selectFirstSideToKeepApart);
      return;
    }
    if (!first) {
      this.apart.value = points;
      this.host.clear();
      this.host.say(strings.selectSecondSideToKeepApart(strings.count(points.length)));
      return;
    }
    const one = new Set(first);
    if (points.some((i) => one.has(i))) {
      this.host.say(strings.sidesToKeepApartOverlap);
      return;
    }
    this.apart.value = null;
    this.give("cannot_link", {}, [first, points], strings.keptApart(strings.count(first.length), strings.count(points.length)));
  }

  cancelApart(): void {
    this.apart.value = null;
    this.host.say(strings.keepingApartCanceled);
  }

  forget(): void {
    const points = this.store.traits.selection.peek();
    if (!points.length) {
      this.host.say(strings.selectPointsToForget);
      return;
    }
    this.give("forget", {}, [points], strings.labelsLinksAndPinsRemoved(strings.count(points.length)));
  }

  /** Give a command, and say what it does. */
  private give<N extends CommandName>(name: N, args: CommandArguments[N], points: CommandPoints[N], said: string): void {
    if (!this.host.able()) return;
    void this.store.commands.send(name, args, points);
    this.host.say(said);
  }
}
