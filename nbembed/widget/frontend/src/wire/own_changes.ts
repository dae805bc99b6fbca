/**
 * Traits that a person changes on the page, which has the new value at once and the kernel soon. What
 * the kernel says of such a trait before it has answered the newest change is of an older one, and is
 * not shown: a selection would be gone for a moment, and with it the name that is typed for it.
 */
import type { Link } from "./link";
import { PATIENCE, waitFor } from "./patience";
import type { TraitName } from "./wire";

interface Change {
  /** Whether the kernel has said something of the trait since. */
  missed: boolean;
}

export class OwnChanges {
  private readonly newest = new Map<TraitName, Change>();

  constructor(private readonly link: () => Link) {}

  /** Whether what the kernel says of a trait is to be shown; else it is called for later. */
  passes(name: TraitName): boolean {
    const change = this.newest.get(name);
    if (change) change.missed = true;
    return !change;
  }

  /** Note a change and its reply; `read` is called afterwards if the kernel may have another value. */
  note(name: TraitName, reply: Promise<{ ok: boolean }>, read: () => void): void {
    const change: Change = { missed: false };
    this.newest.set(name, change);
    const end = (ok: boolean): void => {
      stop();
      if (this.newest.get(name) !== change) return;
      this.newest.delete(name);
      if (change.missed || !ok) read();
    };
    const stop = waitFor(this.link(), PATIENCE, () => end(false));
    // Hosts deliver traits by promises and replies at once: what was said before may come after.
    void reply.then(({ ok }) => setTimeout(() => end(ok)));
  }
}
