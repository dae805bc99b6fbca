/** Line icons on a 16-pixel grid. */
import type { JSX } from "preact";

const PATHS = {
  play: <path d="M5 3.2v9.6l7.6-4.8z" fill="currentColor" stroke-linejoin="round" />,
  pause: <path d="M5.4 3.4v9.2M10.6 3.4v9.2" stroke-width="2.4" />,
  step: <><path d="M4 3.6v8.8L10.4 8z" fill="currentColor" stroke-linejoin="round" /><path d="M12.6 3.6v8.8" stroke-width="1.8" /></>,
  reset: <><path d="M3.2 8a4.9 4.9 0 1 0 1.6-3.6L3 6.1" /><path d="M3 2.8v3.3h3.3" /></>,
  undo: <><path d="M6 3.2 2.8 6.4 6 9.6" /><path d="M3 6.4h6.4a3.4 3.4 0 0 1 0 6.8H6.6" /></>,
  redo: <><path d="m10 3.2 3.2 3.2L10 9.6" /><path d="M13 6.4H6.6a3.4 3.4 0 0 0 0 6.8h2.8" /></>,
  pan: <path d="M8 2v12M2 8h12M6.4 3.6 8 2l1.6 1.6M6.4 12.4 8 14l1.6-1.6M3.6 6.4 2 8l1.6 1.6M12.4 6.4 14 8l-1.6 1.6" />,
  lasso: <><ellipse cx="8.4" cy="6.2" rx="5.6" ry="3.8" stroke-dasharray="2.6 1.9" /><path d="M4.6 9c-1.7.5-2 2.2-.5 2.6 1.4.3 1.9 1.2.7 2.4" /></>,
  box: <path d="M3 3h10v10H3z" stroke-dasharray="2.6 1.9" />,
  near: <><circle cx="8" cy="8" r="1.6" fill="currentColor" /><circle cx="8" cy="8" r="5.4" stroke-dasharray="0.1 4.14" stroke-width="2.2" /></>,
  brush: <><path d="m13.4 2.6-5.6 6.2" stroke-width="2" /><path d="M7.6 9.2c-1.6-.8-3.2.2-3.3 1.8-.1 1.3-.9 1.9-1.9 2.1 2.8 1.3 5.9.3 6.1-2.1.1-.8-.2-1.4-.9-1.8z" stroke-linejoin="round" /></>,
  fit: <path d="M2.6 6V2.6H6M10 2.6h3.4V6M13.4 10v3.4H10M6 13.4H2.6V10" />,
  help: <><circle cx="8" cy="8" r="6" /><path d="M6.3 6.3a1.8 1.8 0 1 1 2.6 1.8c-.6.3-.9.6-.9 1.2M8 11.4v.1" /></>,
  add: <path d="M8 3.2v9.6M3.2 8h9.6" />,
  pencil: <path d="m3 13 .7-2.9 7.2-7.2 2.2 2.2-7.2 7.2z" stroke-linejoin="round" />,
  close: <path d="m4 4 8 8M12 4l-8 8" />,
  save: <path d="M8 2.8v7M5.2 7.2 8 10l2.8-2.8M3 12.9h10" />,
  copy: <><path d="M5.6 5.6h7v7h-7z" stroke-linejoin="round" /><path d="M10.2 5.4V3.2h-7v7h2.2" stroke-linejoin="round" /></>,
  panel: <><path d="M2.6 3h10.8v10H2.6z" stroke-linejoin="round" /><path d="M9.6 3v10" /></>,
  picture: <><path d="M2.6 3.6h10.8v8.8H2.6z" stroke-linejoin="round" /><path d="m3 11 3-3 2.2 2.2L10.4 8l2.8 2.8" stroke-linejoin="round" /><circle cx="6" cy="6" r="0.8" /></>,
  link: <><path d="M6.6 9.4a2.6 2.6 0 0 0 3.7 0l2-2a2.6 2.6 0 0 0-3.7-3.7l-.7.7" /><path d="M9.4 6.6a2.6 2.6 0 0 0-3.7 0l-2 2a2.6 2.6 0 0 0 3.7 3.7l.7-.7" /></>,
  apart: <><path d="M8 2.6v2.2M8 6.9v2.2M8 11.2v2.2" /><path d="M4.8 5.4 2.2 8l2.6 2.6M2.4 8h3.4M11.2 5.4 13.8 8l-2.6 2.6M13.6 8h-3.4" /></>,
  more: <path d="m6 3.5 4.5 4.5L6 12.5" />,
  swap: <path d="M5 3v9M2.8 9.8 5 12l2.2-2.2M11 13V4M8.8 6.2 11 4l2.2 2.2" />,
  back: <path d="M10 3.5 5.5 8l4.5 4.5" />,
  pin: <><path d="M5.6 2.4h4.8M6.3 2.6v3.9L4.4 9.2h7.2L9.7 6.5V2.6" stroke-linejoin="round" /><path d="M8 9.4v4.2" /></>,
  up: <path d="M3.5 10 8 5.5l4.5 4.5" />,
  down: <path d="M3.5 6 8 10.5 12.5 6" />,
  eye: <><path d="M1.8 8S4 4 8 4s6.2 4 6.2 4S12 12 8 12 1.8 8 1.8 8z" stroke-linejoin="round" /><circle cx="8" cy="8" r="1.9" /></>,
  hidden: <><path d="M1.8 8S4 4 8 4s6.2 4 6.2 4S12 12 8 12 1.8 8 1.8 8z" stroke-linejoin="round" /><path d="M3 13 13 3" /></>,
  trash: <path d="M3 4.4h10M6.4 4.2V2.8h3.2v1.4M4.4 4.6l.6 8.6h6l.6-8.6M6.8 7v4M9.2 7v4" stroke-linejoin="round" />,
  full: <path d="M9.4 2.6h4v4M13 3 9.2 6.8M6.6 13.4h-4v-4M3 13l3.8-3.8" />,
  within: <><circle cx="8" cy="8" r="6" stroke-dasharray="2.6 1.9" /><path d="M5.6 7.2v.1M8.6 5.4v.1M10.4 8.4v.1M7.4 10v.1" stroke-width="2.2" /></>,
  forget: <><path d="m6.2 12.8-3.3-3.3a1 1 0 0 1 0-1.4l5-5a1 1 0 0 1 1.4 0l3.5 3.5a1 1 0 0 1 0 1.4l-4.8 4.8z" stroke-linejoin="round" /><path d="m5.4 5.6 4.9 4.9M6.2 12.8h6.6" /></>,
} satisfies Record<string, JSX.Element>;

export type IconName = keyof typeof PATHS;

export function Icon({ name }: { name: IconName }) {
  return (
    <svg class="nbe-icon" viewBox="0 0 16 16" width="16" height="16" aria-hidden="true" fill="none" stroke="currentColor" stroke-width="1.4" stroke-linecap="round">
      {PATHS[name]}
    </svg>
  );
}
