/**
 * Mouse, touch and wheel on the map: drag to pan or to lasso, pinch and wheel to zoom, hover.
 * Shift and Alt decide how a lasso changes the selection; they never start one.
 */
import type { Combine } from "./pick";

export interface GestureTarget {
  tool(): "pan" | "lasso";
  /** Whether the wheel zooms, which it does only after a click on the map. */
  wheelAllowed(event: WheelEvent): boolean;
  wheelRefused(): void;
  pan(dx: number, dy: number): void;
  zoom(x: number, y: number, factor: number): void;
  hover(x: number, y: number): void;
  leave(): void;
  click(x: number, y: number, how: Combine): void;
  lassoMove(path: number[], how: Combine): void;
  lassoEnd(path: number[], how: Combine): void;
  lassoCancel(): void;
}

/** A press that moves less than this many pixels is a click. */
const CLICK = 4;

export function attachGestures(element: HTMLElement, target: GestureTarget): () => void {
  const pointers = new Map<number, [number, number]>();
  let lasso: number[] | null = null;
  let traveled = 0;
  let pinched = false;

  const at = (event: MouseEvent): [number, number] => {
    const box = element.getBoundingClientRect();
    return [event.clientX - box.left, event.clientY - box.top];
  };
  const how = (event: MouseEvent): Combine => (event.altKey ? "subtract" : event.shiftKey ? "add" : "replace");

  const down = (event: PointerEvent): void => {
    if (event.button !== 0 && event.button !== 1) return;
    const [x, y] = at(event);
    pointers.set(event.pointerId, [x, y]);
    element.setPointerCapture(event.pointerId);
    if (pointers.size === 1) {
      traveled = 0;
      pinched = false;
      lasso = target.tool() === "lasso" && event.button === 0 ? [x, y] : null;
    } else {
      pinched = true;
      if (lasso) target.lassoCancel();
      lasso = null;
    }
    if (event.button === 1) event.preventDefault();
    target.leave();
  };

  const move = (event: PointerEvent): void => {
    const [x, y] = at(event);
    const before = pointers.get(event.pointerId);
    if (!before) {
      target.hover(x, y);
      return;
    }
    traveled += Math.hypot(x - before[0], y - before[1]);
    if (pointers.size === 2) {
      const other = [...pointers].find(([id]) => id !== event.pointerId)?.[1];
      if (other) {
        const old = Math.hypot(before[0] - other[0], before[1] - other[1]);
        const now = Math.hypot(x - other[0], y - other[1]);
        if (old > 0) target.zoom((x + other[0]) / 2, (y + other[1]) / 2, now / old);
        target.pan((x - before[0]) / 2, (y - before[1]) / 2);
      }
    } else if (lasso) {
      // All positions of the pointer since the last event, if the browser reports them.
      const steps = event.getCoalescedEvents?.() ?? [];
      for (const step of steps.length ? steps : [event]) lasso.push(...at(step));
      if (traveled >= CLICK) target.lassoMove(lasso, how(event));
    } else if (traveled >= CLICK) {
      target.pan(x - before[0], y - before[1]);
    }
    pointers.set(event.pointerId, [x, y]);
  };

  const up = (event: PointerEvent): void => {
    if (!pointers.delete(event.pointerId)) return;
    if (pinched) {
      if (pointers.size === 0) pinched = false;
      return;
    }
    const [x, y] = at(event);
    if (traveled < CLICK) {
      target.lassoCancel();
      // With the pan tool, a click selects only with Shift or Alt, and then one point.
      target.click(x, y, event.shiftKey && target.tool() === "pan" ? "toggle" : how(event));
    } else if (lasso) {
      target.lassoEnd(lasso, how(event));
    }
    lasso = null;
  };

  const cancel = (event: PointerEvent): void => {
    pointers.delete(event.pointerId);
    if (lasso) target.lassoCancel();
    lasso = null;
  };

  const wheel = (event: WheelEvent): void => {
    if (!target.wheelAllowed(event)) {
      target.wheelRefused();
      return;
    }
    event.preventDefault();
    event.stopPropagation();
    const lines = event.deltaMode === 1 ? 16 : event.deltaMode === 2 ? 400 : 1;
    const delta = Math.max(-240, Math.min(240, event.deltaY * lines));
    const [x, y] = at(event);
    target.zoom(x, y, Math.exp(-delta * (event.ctrlKey ? 0.01 : 0.0018)));
  };

  const leave = (): void => {
    if (!pointers.size) target.leave();
  };

  element.addEventListener("pointerdown", down);
  element.addEventListener("pointermove", move);
  element.addEventListener("pointerup", up);
  element.addEventListener("pointercancel", cancel);
  element.addEventListener("pointerleave", leave);
  element.addEventListener("wheel", wheel, { passive: false });
  return () => {
    element.removeEventListener("pointerdown", down);
    element.removeEventListener("pointermove", move);
    element.removeEventListener("pointerup", up);
    element.removeEventListener("pointercancel", cancel);
    element.removeEventListener("pointerleave", leave);
    element.removeEventListener("wheel", wheel);
  };
}
