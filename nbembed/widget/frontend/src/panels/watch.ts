/** What follows the session only while a part of the page is there. */
import { useLayoutEffect } from "preact/hooks";

/**
 * Start to watch when the component comes, and stop at once when it goes. `useEffect` would stop after the
 * next paint: until then what is closed would still ask the kernel.
 */
export function useWatch(watch: () => () => void): void {
  useLayoutEffect(watch, []);
}
