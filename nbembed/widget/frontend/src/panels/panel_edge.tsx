/** The edge between map and panel, which resizes the panel. */
import { useSignal } from "@preact/signals";
import { useLayoutEffect, useRef } from "preact/hooks";
import type { View } from "../view/view";
import * as strings from "../strings";

/** Width of the sidebar in pixels: usually, at least, and more or less by a key. At most it is a third of all, or the usual width. */
const USUAL = 296;
const LEAST = 240;
const STEP = 16;

export function PanelEdge({ view, panel }: { view: View; panel: string }) {
  const edge = useRef<HTMLDivElement>(null);
  /** Where the pointer took the edge, and how wide the panel was there. */
  const grip = useRef<[number, number] | null>(null);
  const most = useSignal(USUAL);
  const now = useSignal(USUAL);
  const wanted = view.store.traits.sidebar_width.value;
  const within = (width: number): number => Math.round(Math.max(LEAST, Math.min(width, most.peek())));
  const measure = (): void => {
    most.value = Math.max(USUAL, Math.floor(edge.current!.closest(".nbe-body")!.clientWidth / 3));
    now.value = edge.current!.parentElement!.offsetWidth;
  };
  const show = (width: number): void => {
    // A map in the place of this one has a panel as wide, until its own is resized.
    const { style } = edge.current!.closest<HTMLElement>(".nbe")!;
    if (width) style.setProperty("--nbe-panel", `${width}px`);
    else style.removeProperty("--nbe-panel");
    measure();
  };
  const drag = ({ clientX }: PointerEvent): number => within(grip.current![1] + grip.current![0] - clientX);
  useLayoutEffect(() => show(wanted), [wanted]);
  const keep = (width: number): void => {
    if (view.able()) view.store.sizePanel(width);
    else show(wanted);
  };
  return (
    <div
      ref={edge} class="nbe-panel-edge" role="separator" aria-orientation="vertical" tabIndex={0} aria-label={strings.sidebarWidth} title={strings.sidebarWidthHint}
      aria-controls={panel} aria-valuemin={LEAST} aria-valuemax={most.value} aria-valuenow={now.value}
      onFocus={measure}
      onDblClick={() => keep(0)}
      onKeyDown={(event) => {
        const width = { ArrowLeft: now.peek() + STEP, ArrowRight: now.peek() - STEP, Home: LEAST, End: most.peek(), Enter: 0 }[event.key];
        if (width === undefined) return;
        event.preventDefault();
        event.stopPropagation();
        keep(width && within(width));
      }}
      onPointerDown={(event) => {
        measure();
        grip.current = [event.clientX, edge.current!.parentElement!.offsetWidth];
        event.currentTarget.setPointerCapture(event.pointerId);
      }}
      onPointerMove={(event) => grip.current && show(drag(event))}
      onPointerUp={(event) => {
        if (grip.current && grip.current[0] !== event.clientX) keep(drag(event));
        grip.current = null;
      }}
      onPointerCancel={() => {
        grip.current = null;
        show(wanted);
      }}
    />
  );
}
