/** A group of buttons that is one tab stop: arrow keys go from one to the next (WAI-ARIA's roving tabindex). */
import { useLayoutEffect } from "preact/hooks";

const STEPS: Record<string, number> = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 };

export function useRoving(ref: { readonly current: HTMLElement | null }): void {
  useLayoutEffect(() => {
    const group = ref.current;
    if (!group) return;
    const items = (): HTMLElement[] => [...group.querySelectorAll<HTMLElement>("button, select, input")].filter((e) => !e.closest("[inert]") && e.offsetParent !== null);
    const mark = (to?: HTMLElement): void => {
      const all = items();
      const stop = to ?? all.find((e) => e.tabIndex === 0 && e.dataset["stop"]) ?? all.find((e) => e.getAttribute("aria-checked") === "true") ?? all[0];
      for (const e of all) {
        e.tabIndex = e === stop ? 0 : -1;
        if (e === stop) e.dataset["stop"] = "true";
        else delete e.dataset["stop"];
      }
    };
    const keys = (event: KeyboardEvent): void => {
      if (event.target instanceof HTMLSelectElement || event.ctrlKey || event.altKey || event.metaKey) return;
      const all = items();
      const at = all.indexOf(event.target as HTMLElement);
      const by = STEPS[event.key];
      const to = event.key === "Home" ? 0 : event.key === "End" ? all.length - 1 : by ? (at + by + all.length) % all.length : -1;
      if (at < 0 || to < 0) return;
      event.preventDefault();
      all[to].focus();
    };
    const focused = (event: FocusEvent): void => {
      if (items().includes(event.target as HTMLElement)) mark(event.target as HTMLElement);
    };
    // Buttons come and go with the state of the run.
    const observer = new MutationObserver(() => mark());
    observer.observe(group, { childList: true, subtree: true, attributes: true, attributeFilter: ["inert"] });
    group.addEventListener("keydown", keys);
    group.addEventListener("focusin", focused);
    mark();
    return () => {
      observer.disconnect();
      group.removeEventListener("keydown", keys);
      group.removeEventListener("focusin", focused);
    };
  }, []);
}
