/** What goes from the page must not take the focus with it. */
import { useLayoutEffect, useRef } from "preact/hooks";

/** Keep the focus in the widget, and with it the keys, when the element that has it goes. */
export function useFocusKept<E extends HTMLElement>() {
  const ref = useRef<E>(null);
  useLayoutEffect(() => {
    const element = ref.current;
    return () => {
      if (element?.contains(document.activeElement)) element.closest<HTMLElement>(".nbe")?.focus({ preventScroll: true });
    };
  }, []);
  return ref;
}
