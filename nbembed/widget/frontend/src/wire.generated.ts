// Written by `python -m nbembed.widget.typescript` from nbembed/widget/schema.py. Do not edit.

export type RunState = "idle" | "running" | "paused" | "converged" | "failed";

export type ColorMode = "column" | "class" | "probability" | "suggestion";

export type ColumnKind = "none" | "category" | "number";

export type SliderScale = "linear" | "log";

export const MARKER_SYMBOLS = ["circle", "square", "triangle", "diamond", "star", "cross", "wedge", "pentagon", "saltire", "hexagon"] as const;
export type MarkerSymbol = (typeof MARKER_SYMBOLS)[number];

/** A class, and how its points are drawn. */
export interface ClassInfo {
  name: string;
  /** "#RRGGBB". */
  color: string;
  symbol: MarkerSymbol;
}

/** A slider for a live parameter. */
export interface Control {
  /** The parameter, as the command `set` names it. */
  name: string;
  symbol: string;
  low: number;
  high: number;
  scale: SliderScale;
  step: number;
  enabled: boolean;
  description: string;
}

/** The number of classes, where it is a parameter of the method. */
export interface ClassCount {
  /** The parameter, as the command `set` names it. */
  name: string;
  value: number;
  low: number;
}

/** A layout kept by the schedule. */
export interface PathStep {
  /** Of the parameter that the path follows. */
  value: number;
  /** Layouts compete by it; null does not compete. */
  criterion: number | null;
}

/** The column to color by; its values are in `color_values`. */
export interface ColorColumn {
  kind: ColumnKind;
  title: string;
  /** Of the categories. */
  names: string[];
  /** Of the categories. */
  colors: string[];
}

/** Methods that the chooser lists under one title. */
export interface MethodGroup {
  title: string;
  names: string[];
}

export type SuggestionState = "none" | "making" | "ready" | "failed";

/** A random sample of points that a person is asked for. */
export interface SuggestionCheck {
  /** In the order in which they are asked. */
  points: number[];
  /** The class given to each, −1 for none. */
  answers: number[];
  /** How many have an answer. */
  answered: number;
  /** Share of the answers that agree with what was suggested. */
  accuracy: number | null;
  /** Lower end of the accuracy's 95 % interval. */
  low: number;
  high: number;
}

/** The synced traits, bytes as typed arrays. */
export interface Traits {
  n_samples: number;
  /** Of the map, in CSS pixels. */
  height: number;
  /** Layout at rest: x, y for each point. */
  coordinates: Float32Array;
  /** RGBA for each point, or empty. */
  membership_colors: Uint8Array;
  /** Class directions on the plane of the map. */
  directions: [number, number][];
  /** Also of classes without a name. */
  direction_colors: string[];
  /** Places of class centers, if the method has them. */
  centers: [number, number][];
  center_names: string[];
  center_colors: string[];
  /** Lines x, y, x', y' between the regions of classes. */
  borders: [number, number, number, number][];
  /** Index of each point's class, −1 for unlabeled points. */
  label_codes: Int32Array;
  /** Of each point's label, 0 for unlabeled points. */
  label_confidence: Float32Array;
  classes: ClassInfo[];
  /** Groups of must-linked points. */
  links: number[][];
  /** Pairs of groups of points. */
  cannot_links: number[][][];
  /** Indices of pinned points. */
  pinned: Uint32Array;
  color_column: ColorColumn;
  /** Category index of each point (−1: missing) or number (NaN: missing). */
  color_values: Float32Array;
  /** What colors the unlabeled points. */
  color_by: ColorMode;
  /** Indices of selected points. */
  selection: Uint32Array;
  method: string;
  methods: string[];
  method_groups: MethodGroup[];
  controls: Control[];
  /** Values of the live parameters. */
  parameters: Record<string, number | null>;
  class_count: ClassCount | null;
  state: RunState;
  iteration: number;
  /** In nats. */
  cost: number | null;
  /** Share of points that keep their 1-NN. */
  quality: number | null;
  /** What stopped the worker. */
  error: string;
  /** Whether kernels are compiled: once for an installation. */
  compiling: boolean;
  /** What is being learned from labels in the background. */
  learning: string;
  /** Why the newest labels cannot be learned from. */
  learning_error: string;
  /** What the method needs from the person. */
  request: string;
  /** That a new start would reach a lower cost. */
  worse_optimum: string;
  /** What undo takes back. */
  undo: string;
  /** What redo does again. */
  redo: string;
  /** Cost curve: iteration, cost for each point of the curve. */
  history: Float32Array;
  path: PathStep[];
  /** Of the parameter that the path follows. */
  path_symbol: string;
  /** Step of the path that the map shows, −1 for none. */
  chosen_step: number;
}

/** How each trait crosses the wire: as JSON, or as the bytes of a typed array. */
export const TRAIT_FORMS = {
  n_samples: "json",
  height: "json",
  coordinates: "Float32Array",
  membership_colors: "Uint8Array",
  directions: "json",
  direction_colors: "json",
  centers: "json",
  center_names: "json",
  center_colors: "json",
  borders: "json",
  label_codes: "Int32Array",
  label_confidence: "Float32Array",
  classes: "json",
  links: "json",
  cannot_links: "json",
  pinned: "Uint32Array",
  color_column: "json",
  color_values: "Float32Array",
  color_by: "json",
  selection: "Uint32Array",
  method: "json",
  methods: "json",
  method_groups: "json",
  controls: "json",
  parameters: "json",
  class_count: "json",
  state: "json",
  iteration: "json",
  cost: "json",
  quality: "json",
  error: "json",
  compiling: "json",
  learning: "json",
  learning_error: "json",
  request: "json",
  worse_optimum: "json",
  undo: "json",
  redo: "json",
  history: "Float32Array",
  path: "json",
  path_symbol: "json",
  chosen_step: "json",
} as const;

/** Traits whose newest values frames carry while the map moves. */
export const FRAME_TRAITS = ["state", "iteration", "cost", "quality", "parameters", "directions", "direction_colors", "centers", "center_names", "center_colors", "borders"] as const;

/** A layout. Fields with the name of a trait stand for its newest value. Buffers: positions, membership_colors (optional). */
export interface FrameMessage {
  type: "frame";
  /** The frame's number, which the page acknowledges. */
  seq: number;
  /** Grows with every layout of the session. */
  version: number;
  /** For each page, its newest request in this layout. */
  applied: Record<string, number>;
  state: RunState;
  iteration: number;
  /** In nats. */
  cost: number | null;
  /** Share of points that keep their 1-NN. */
  quality?: number | null;
  /** Values of the live parameters. */
  parameters?: Record<string, number | null>;
  /** Class directions on the plane of the map. */
  directions: [number, number][];
  /** Also of classes without a name. */
  direction_colors: string[];
  /** Places of class centers, if the method has them. */
  centers: [number, number][];
  center_names: string[];
  center_colors: string[];
  /** Lines x, y, x', y' between the regions of classes. */
  borders: [number, number, number, number][];
  /** Left, bottom, right, top. With it, positions are 16-bit steps of it, else float32. */
  range?: [number, number, number, number];
}

/** The answer to a command, or to a message that could not be read. */
export interface ReplyMessage {
  type: "reply";
  /** The page. */
  client: string;
  /** The command's number, 0 for what was no command. */
  request: number;
  ok: boolean;
  error: string | null;
}

/** What is suggested from the labels so far. Without arrays the page has none. Buffers: suggested (optional), sureness (optional), doubtful (optional), second (optional). */
export interface SuggestionsMessage {
  type: "suggestions";
  state: SuggestionState;
  /** Why there are none. */
  error: string;
  check: SuggestionCheck | null;
}

export type MessageToPage = FrameMessage | ReplyMessage | SuggestionsMessage;

/** The page has loaded the widget. */
export interface HelloMessage {
  type: "hello";
  /** The page. */
  client: string;
}

/** The page has dropped the widget. */
export interface ByeMessage {
  type: "bye";
  /** The page. */
  client: string;
}

/** Whether a view is on screen. */
export interface VisibleMessage {
  type: "visible";
  /** The page. */
  client: string;
  visible: boolean;
}

/** How many views of the widget the page has. */
export interface ViewsMessage {
  type: "views";
  /** The page. */
  client: string;
  count: number;
}

/** Whether the page shows suggestions; they are sent to no other. */
export interface SuggestingMessage {
  type: "suggesting";
  /** The page. */
  client: string;
  shown: boolean;
}

/** Whether the page needs coordinates in full precision, being zoomed in far. */
export interface PrecisionMessage {
  type: "precision";
  /** The page. */
  client: string;
  full: boolean;
}

/** All frames up to one were drawn. */
export interface AckMessage {
  type: "ack";
  /** The page. */
  client: string;
  seq: number;
}

/** Something that the person did; its sets of points are the buffers. */
export interface CommandMessage {
  type: "command";
  /** The page. */
  client: string;
  /** The command's number; each page counts its own. */
  request: number;
  name: string;
  arguments?: object;
}

export type MessageFromPage = HelloMessage | ByeMessage | VisibleMessage | ViewsMessage | SuggestingMessage | PrecisionMessage | AckMessage | CommandMessage;

/** The arguments of each command. */
export interface CommandArguments {
  /** Run until convergence. */
  play: Record<string, never>;
  /** Stop after the present iteration; steps not yet done are dropped. */
  pause: Record<string, never>;
  /** Do ``k`` iterations and pause. Returns at once; later commands wait for the steps. */
  step: { k?: number };
  /** Start cold with the present parameters and supervision; recovers from an error. */
  reset: Record<string, never>;
  /** Change parameters of the method; only what they invalidate is redone. */
  set: Record<string, number>;
  /** Go on with another method from the present layout; labels and links stay. */
  switch: { method: string };
  /** Show a kept layout of the path and take over its parameter value. */
  show_path_step: { index: number };
  /** Label points with a class; a new name is a new class. */
  label: { class: string; confidence?: number };
  /** Label all unlabeled points whose suggestion is at least so sure, as one undoable step. */
  accept: { confidence?: number };
  /** Say that points belong together. */
  must_link: Record<string, never>;
  /** Say that the points ``a`` do not belong with the points ``b``. */
  cannot_link: Record<string, never>;
  /** Hold points where they are: they attract and repel the others, and do not move. */
  pin: Record<string, never>;
  /** Let points move again; those that were free stay free. */
  unpin: Record<string, never>;
  /** Take back all labels, links and pins of points. */
  forget: Record<string, never>;
  /** Add a class without points. */
  add_class: { name: string };
  /** Give a class another name. */
  rename_class: { old: string; new: string };
  /** Take back the last change of parameters, supervision or method; the points stay. */
  undo: Record<string, never>;
  /** Do again what was undone last. */
  redo: Record<string, never>;
  /** Select points. */
  select: Record<string, never>;
  /** Choose what colors the unlabeled points. */
  color_by: { mode: ColorMode };
  /** Draw points at random to ask for. */
  check_suggestions: { size: number };
  /** Forget the points that were drawn; their labels stay. */
  end_check: Record<string, never>;
}

/** The sets of points of each command, each a buffer. */
export interface CommandPoints {
  play: [];
  pause: [];
  step: [];
  reset: [];
  set: [];
  switch: [];
  show_path_step: [];
  label: [points: Uint32Array];
  accept: [];
  must_link: [points: Uint32Array];
  cannot_link: [a: Uint32Array, b: Uint32Array];
  pin: [points: Uint32Array];
  unpin: [points: Uint32Array];
  forget: [points: Uint32Array];
  add_class: [];
  rename_class: [];
  undo: [];
  redo: [];
  select: [points: Uint32Array];
  color_by: [];
  check_suggestions: [];
  end_check: [];
}

export type CommandName = keyof CommandArguments;
