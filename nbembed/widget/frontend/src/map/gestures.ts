/**
 * Mouse, touch and wheel on the map: drag to pan, or to draw with the lasso, the box or the brush; pinch and
 * wheel to zoom, hover. Shift and Alt decide how what is drawn changes the selection; they never start it.
 * A finger that rests before it moves or lifts does what Shift does.
 */
import type { Combine } from "../state/pick";

export type Tool = "pan" | "lasso" | "box" | "brush";

export interface GestureTarget {
  tool(): Tool;
  /** Whether the wheel zooms, which it does only after a click on the map. */
  wheelAllowed(event: WheelEvent): boolean;
  wheelRefused(): void;
  pan(dx: number, dy: number): void;
  zoom(x: number, y: number, factor: number): void;
  hover(x: number, y: number): void;
  leave(): void;
  click(x: number, y: number, how: Combine, touch: boolean): void;
  /** A finger rests: what it does next adds to the selection. "" when it is over. */
  held(tool: Tool | ""): void;
  /** What is drawn so far: the corners of the lasso or the box, or the way of the brush. */
  drawing(path: number[], tool: Tool, how: Combine): void;
  drawn(path: number[], tool: Tool, how: Combine, touch: boolean): void;
  drawingCanceled(): void;
}

/** A press that moves less than this many pixels is a click. */
const CLICK = 4;
/** The same for a finger, which is never quite still. */
const TAP = 10;
/** Milliseconds that a finger rests. */
const HOLD = 500;

export interface Gestures {
  detach: () => void;
  /** Give up what is being drawn; returns whether anything was. */
  cancel: () => boolean;
}

export function attachGestures(element: HTMLElement, target: GestureTarget): Gestures {
  const pointers = new Map<number, [number, number]>();
  let drawn: { tool: Tool; path: number[] } | null = null;
  let canceled = false;
  /** The farthest that the pointer was from where it was pressed. */
  let traveled = 0;
  let pressed: [number, number] = [0, 0];
  let click = CLICK;
  let pinched = false;
  let held = false;
  let timer: ReturnType<typeof setTimeout> | undefined;

  const at = (event: MouseEvent): [number, number] => {
    const box = element.getBoundingClientRect();
    return [event.clientX - box.left, event.clientY - box.top];
  };
  const how = (event: MouseEvent): Combine => (event.altKey ? (event.shiftKey ? "intersect" : "subtract") : event.shiftKey || held ? "add" : "replace");
  const release = (): void => {
    clearTimeout(timer);
    if (held) target.held("");
    held = false;
  };

  const down = (event: PointerEvent): void => {
    if (event.button !== 0 && event.button !== 1) return;
    const [x, y] = at(event);
    pointers.set(event.pointerId, [x, y]);
    element.setPointerCapture(event.pointerId);
    release();
    if (pointers.size === 1) {
      traveled = 0;
      pressed = [x, y];
      click = event.pointerType === "touch" ? TAP : CLICK;
      pinched = canceled = false;
      if (event.pointerType === "touch") {
        timer = setTimeout(() => {
          held = true;
          target.held(target.tool());
        }, HOLD);
      }
      const tool = target.tool();
      drawn = tool !== "pan" && event.button === 0 ? { tool, path: [x, y] } : null;
    } else {
      pinched = true;
      cancel();
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
    traveled = Math.max(traveled, Math.hypot(x - pressed[0], y - pressed[1]));
    if (traveled >= click && !held) clearTimeout(timer);
    if (pointers.size === 2) {
      const other = [...pointers].find(([id]) => id !== event.pointerId)?.[1];
      if (other) {
        const old = Math.hypot(before[0] - other[0], before[1] - other[1]);
        const now = Math.hypot(x - other[0], y - other[1]);
        if (old > 0) target.zoom((x + other[0]) / 2, (y + other[1]) / 2, now / old);
        target.pan((x - before[0]) / 2, (y - before[1]) / 2);
      }
    } else if (drawn) {
      const { tool, path } = drawn;
      if (tool === "box") path.splice(2, 6, x, path[1], x, y, path[0], y);
      else {
        // All positions of the pointer since the last event, if the browser reports them.
        const steps = event.getCoalescedEvents?.() ?? [];
        for (const step of steps.length ? steps : [event]) path.push(...at(step));
      }
      if (traveled >= click) target.drawing(path, tool, how(event));
    } else if (traveled >= click && !canceled && pointers.size === 1) {
      release();
      target.pan(x - before[0], y - before[1]);
    }
    pointers.set(event.pointerId, [x, y]);
  };

  const up = (event: PointerEvent): void => {
    if (!pointers.delete(event.pointerId)) return;
    if (pinched || canceled) {
      if (pointers.size === 0) pinched = canceled = false;
      release();
      return;
    }
    const [x, y] = at(event);
    if (drawn && (traveled >= click || drawn.tool === "brush")) {
      target.drawn(drawn.path, drawn.tool, how(event), event.pointerType === "touch");
    } else if (traveled < click) {
      target.drawingCanceled();
      // With the pan tool, a click selects only with Shift or Alt, and then one point.
      target.click(x, y, held || (event.shiftKey && target.tool() === "pan") ? "toggle" : how(event), event.pointerType === "touch");
    }
    drawn = null;
    release();
  };

  const cancel = (): boolean => {
    if (!drawn) return false;
    drawn = null;
    canceled = true;
    target.drawingCanceled();
    return true;
  };

  const lost = (event: PointerEvent): void => {
    pointers.delete(event.pointerId);
    cancel();
    release();
  };

  // Where a resting finger opens a menu, it would end the gesture.
  const menu = (event: Event): void => {
    if (pointers.size && click === TAP) event.preventDefault();
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
  element.addEventListener("pointercancel", lost);
  element.addEventListener("pointerleave", leave);
  element.addEventListener("contextmenu", menu);
  element.addEventListener("wheel", wheel, { passive: false });
  const detach = (): void => {
    element.removeEventListener("pointerdown", down);
    element.removeEventListener("pointermove", move);
    element.removeEventListener("pointerup", up);
    element.removeEventListener("pointercancel", lost);
    element.removeEventListener("pointerleave", leave);
    element.removeEventListener("contextmenu", menu);
    clearTimeout(timer);
    element.removeEventListener("wheel", wheel);
  };
  return { detach, cancel };
}
