/** What goes from the page must not take the focus with it. */
import { useLayoutEffect, useRef } from "preact/hooks";
import { focusIsIn } from "../roots";

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
