/** What goes from the page must not take the focus with it, and what comes must be seen. */
import { useLayoutEffect, useRef } from "preact/hooks";
import { focusIsIn } from "../host/roots";

/** Keep the focus in the widget, and with it the keys, when the element that has it goes. */
export function useFocusKept<E extends HTMLElement>() {
  const ref = useRef<E>(null);
  useLayoutEffect(() => {
    const element = ref.current;
    return () => {
      if (focusIsIn(element)) element?.closest<HTMLElement>(".nbe")?.focus({ preventScroll: true });
    };
  }, []);
  return ref;
}

/** Scroll the side panel, and nothing around it, so that an element that has come is seen, its top first. */
export function useRevealed<E extends HTMLElement>(when: unknown) {
  const ref = useRef<E>(null);
  useLayoutEffect(() => {
    const panel = ref.current?.closest(".nbe-tab-panel");
    if (!ref.current || !panel) return;
    const [own, shown] = [ref.current.getBoundingClientRect(), panel.getBoundingClientRect()];
    const covered = parseFloat(getComputedStyle(panel).scrollPaddingBottom) || 0;
    const below = Math.min(own.bottom - shown.bottom + covered, own.top - shown.top);
    panel.scrollTop += Math.max(below, Math.min(0, own.top - shown.top));
  }, [when]);
  return ref;
}
