// Written by `python -m nbembed.widget.wire.typescript` from `schema.py` beside it. Do not edit.

export type RunState = "idle" | "running" | "paused" | "converged" | "failed";

export type ColorMode = "column" | "class" | "probability" | "suggestion" | "trustworthiness" | "continuity" | "kept" | "stress" | "pull" | "stability";

export type Background = "making" | "learning" | "suggestions" | "groups" | "unsupervised" | "stability";

export type ColumnKind = "none" | "category" | "number" | "time";

export const MARKER_SYMBOLS = ["circle", "square", "triangle", "diamond", "star", "cross", "wedge", "pentagon", "saltire", "hexagon"] as const;
export type MarkerSymbol = (typeof MARKER_SYMBOLS)[number];

export const CLASS_COLORS = ["#0072B2", "#E69F00", "#009E73", "#CC79A7", "#D55E00", "#56B4E9", "#8A1538", "#5A4BEB", "#DCCB55", "#77E08F", "#6B4A2F", "#B79CF5"] as const;
export type ClassColor = (typeof CLASS_COLORS)[number];

/** A class, and how its points are drawn. */
export interface ClassInfo {
  name: string;
  /** "#RRGGBB". */
  color: string;
  symbol: MarkerSymbol;
  /** Whether its points are not drawn. */
  hidden: boolean;
  /** In lists of the classes, and by which keys choose it. */
  place: number;
}

export type SliderScale = "linear" | "log";

/** A slider for a live parameter. */
export interface Control {
  /** The parameter, as the command `set` names it. */
  name: string;
  symbol: string;
  low: number;
  high: number;
  scale: SliderScale;
  step: number;
  /** Where a double click brings it back. */
  usual: number;
  enabled: boolean;
  description: string;
  /** What it has no effect without; empty while it has one. */
  needs: string;
}

/** A parameter that the map is prepared with, which has no slider. */
export interface Prepared {
  /** The parameter, as the command `set` names it. */
  name: string;
  title: string;
  value: string;
  /** What it may be, if it is no number. */
  words: string[];
  description: string;
  /** What a change costs, to be said before it. */
  cost: string;
}

/** The number of classes, where it is a parameter of the method. */
export interface ClassCount {
  /** The parameter, as the command `set` names it. */
  name: string;
  value: number;
  low: number;
}

/** Methods that the chooser lists under one title. */
export interface MethodGroup {
  title: string;
  names: string[];
  /** What each of them does, or empty. */
  sentences: string[];
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
  /** What is to be added to numbers and times that lie far from zero, by default nothing. */
  origin?: number;
}

/** A map of some points that a page has opened, of all and new rows, or of other features. */
export interface ChildMap {
  /** Its Explorer, as the host of widgets knows it. */
  widget: string;
  name: string;
  /** How many new rows it has. */
  new: number;
  /** Whether its rows are the same, prepared otherwise. */
  prepared: boolean;
  /** Its own among them; a map that replaces it takes it over. */
  place: number;
}

/** Points that were saved by name. */
export interface SavedSelection {
  name: string;
  /** How many they are. */
  count: number;
}

/** A second live map of the same data on the same labels. */
export interface SecondMap {
  method: string;
  controls: Control[];
  /** Values of the live parameters. */
  parameters: Record<string, number | null>;
  state: RunState;
  /** What is being made before it can go on, and how far. */
  making: string;
  /** What stopped it, or why it does not have the newest labels. */
  problem: string;
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
  /** How sure the suggestions at least are that it is of. */
  confidence: number;
}

/** A column of a card. */
export interface CardRow {
  title: string;
  /** Empty where the value is missing. */
  text: string;
}

/** A neighbor in the data of the point of a card. */
export interface CardNeighbor {
  point: number;
  /** Empty where points have no names. */
  name: string;
  distance: number;
}

/** How many of the labeled points that are nearest to the point of a card have a class. */
export interface CardClass {
  name: string;
  count: number;
}

export type ColumnUse = "find" | "color";

export type FindKind = "number" | "time" | "category" | "text";

export type FindSpace = "data" | "map";

export type FindStep = "neighbors" | "grow" | "shrink";

/** What a column must be; null and empty text set no limit. */
export interface FindFilter {
  /** Of those that `find_columns` lists. */
  column: number;
  low: number | null;
  high: number | null;
  /** Their codes, −1 for a missing value. */
  categories: number[] | null;
  text: string;
}

/** A histogram of a column. */
export interface FindChart {
  column: number;
  title: string;
  kind: FindKind;
  /** Of numbers and times (seconds since 1970). */
  low: number;
  high: number;
  /** Whole numbers in a bar, from `low` on; 0 for equal shares of the range. */
  step: number;
  /** All points in each bar. */
  totals: number[];
  /** Those that pass the text and all other filters. */
  counts: number[];
  /** The category of each bar, −1 for missing values. */
  codes: number[];
  /** Of the categories. */
  names: string[];
  /** Categories without a bar. */
  left_out: number;
  /** Points without a value. */
  missing: number;
}

/** A point with the text that was found in it. */
export interface FindHit {
  point: number;
  /** Empty where points have no names. */
  name: string;
  /** Of the column where it was found, empty if in the name. */
  title: string;
  /** What is around it there. */
  text: string;
}

export type GroupSort = "effect" | "share" | "p";

/** How a feature differs between a group and others. */
export interface GroupFeature {
  title: string;
  /** Cohen's d; null where neither group varies. */
  effect: number | null;
  /** Whether the mean of the group is the larger one. */
  larger: boolean;
  /** Share of pairs in which the point of the group has the larger value. */
  above: number;
  /** Adjusted for how many are compared; null where there is none. */
  p_value: number | null;
  mean: string;
  other_mean: string;
  /** Halfway between the means. */
  middle: number;
  middle_text: string;
  /** Where the bars begin. */
  low: string;
  high: string;
  /** Points of the group in each bar of the histogram. */
  bars: number[];
  other_bars: number[];
  /** Of those that `find_columns` lists to find by. */
  column: number | null;
  /** Of those that it lists to color by, −1 for the labels. */
  color: number | null;
}

/** How often a category occurs in a group and in others. */
export interface GroupShare {
  name: string;
  count: number;
  other_count: number;
  share: number;
  other_share: number;
  /** The share in the group over that in both together. */
  lift: number;
  /** By which its points are found, −1 for a missing value. */
  code: number | null;
}

/** How a column of categories differs between a group and others. */
export interface GroupColumn {
  title: string;
  /** Cramér's V, from 0 to 1. */
  association: number;
  /** Adjusted for how many are compared; null where there is none. */
  p_value: number | null;
  values: GroupShare[];
  /** Categories that are not listed. */
  more: number;
  /** Of those that `find_columns` lists to find by. */
  column: number | null;
  /** Of those that it lists to color by, −1 for the labels. */
  color: number | null;
}

/** What is counted more often in a group. */
export interface GroupWord {
  name: string;
  /** Of all that is counted in the group. */
  share: number;
  other_share: number;
  lift: number;
  /** The log odds ratio in standard errors. */
  z: number;
  /** Adjusted for how many are compared; null where there is none. */
  p_value: number | null;
  /** Of those that `find_columns` lists to find by. */
  column: number | null;
  /** Of those that it lists to color by, −1 for the labels. */
  color: number | null;
}

export type RowTable = "data" | "labels";

export type RowColumnKind = "point" | "name" | "label" | "number" | "text" | "source" | "time";

/** A column of the table of points. */
export interface RowColumn {
  title: string;
  kind: RowColumnKind;
}

export const MEASURES = ["trustworthiness", "continuity", "kept", "stress", "pull", "stability"] as const;
export type Measure = (typeof MEASURES)[number];

export type Role = "attraction" | "repulsion" | "labels" | "classes" | "aid" | "constant" | "whole";

/** A term of the cost, and what it does to a point. */
export interface ForceTerm {
  name: string;
  formula: string;
  role: Role;
  /** The value of the whole term. */
  cost: number | null;
  /** On the plane of the map. */
  force: [number, number];
  /** Of the force, in all dimensions. */
  length: number;
}

/** The mean of a measure, of this map and of the one without labels. */
export interface QualityChange {
  name: Measure;
  here: number | null;
  unsupervised: number | null;
}

export type CompareView = "side" | "blend";

/** A layout that was kept. */
export interface SnapshotInfo {
  name: string;
  method: string;
  /** The live ones, in words. */
  parameters: string;
  iteration: number;
  /** Number of labeled points. */
  labeled: number;
  /** In nats; null if unknown. */
  cost: number | null;
  /** Share of points that keep their 1-NN; null if unknown. */
  quality: number | null;
  /** Whether it has a layout: the map may not have moved yet. */
  drawn: boolean;
}

/** What is compared. */
export interface Compared {
  /** Name of the other map, "" for a second live map. */
  snapshot: string;
  /** The snapshot that it is compared with, "" for the present map. */
  onto: string;
  /** Beside the map, or blended with it. */
  view: CompareView;
  /** Whether points are colored by how far their neighborhoods differ. */
  by_change: boolean;
}

/** A step of the history. */
export interface PastChange {
  /** Of the place that it led to. */
  number: number;
  text: string;
  /** 'hand', 'suggestion' or 'code'; empty if it is not known. */
  source: string;
  /** In seconds since 1970. */
  time: number | null;
  /** Of the map when it was made. */
  iteration: number | null;
}

/** A column of the table, and its use. */
export interface DataColumn {
  /** Its number. */
  column: number;
  title: string;
  /** What it is embedded as, or why it is not. */
  use: string;
  /** Whether it is chosen, be it with weight 0. */
  embedded: boolean;
  /** Whether it can be embedded. */
  possible: boolean;
  weight: number;
  log: boolean;
  /** Whether it has numbers, and no negative one. */
  positive: boolean;
}

/** The synced traits, bytes as typed arrays. */
export interface Traits {
  n_samples: number;
  /** Of tools, map and panel together, in CSS pixels. */
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
  /** Titles of the columns that can color the points; empty where these are too many. */
  color_columns: string[];
  /** How many can; `find_columns` finds them. */
  color_column_count: number;
  /** What colors the unlabeled points. */
  color_by: ColorMode;
  /** Indices of selected points. */
  selection: Uint32Array;
  /** Selections that were saved by name. */
  selections: SavedSelection[];
  /** Indices of the rows that were added last. */
  new_rows: Uint32Array;
  /** Indices of points whose cards are kept open. */
  cards: Uint32Array;
  /** The point at which the tab Why opens, −1 for none. */
  explained: number;
  /** Whether the tab Why shows the map without labels. */
  unsupervised_shown: boolean;
  /** The note on the data that are embedded and their preparation. */
  data_note: string;
  /** Whether points have names that the map can show. */
  named: boolean;
  /** Whether the map shows names where there is room. */
  names_shown: boolean;
  /** Whether points have images. */
  imaged: boolean;
  /** The number of the user's own figure, 0 without one. */
  own_figure: number;
  /** Whether the map shows images where there is room. */
  thumbnails_shown: boolean;
  /** In CSS pixels, as far as there is room; 0: as usual. */
  sidebar_width: number;
  method: string;
  /** In which cards and quality have neighbors in the data. */
  quality_metric: string;
  methods: string[];
  method_groups: MethodGroup[];
  controls: Control[];
  prepared: Prepared[];
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
  /** What is being made before the map can go on, and how far. */
  making: string;
  /** Share that is done; null if not counted. */
  making_share: number | null;
  /** What the map does until it is made. */
  meanwhile: string;
  /** What was noticed while affinities were made. */
  remark: string;
  /** Why the newest labels cannot be learned from. */
  learning_error: string;
  /** What the method needs from the person. */
  request: string;
  /** That a new start would reach a lower cost. */
  worse_optimum: string;
  /** Whether the page must ask for news. */
  polled: boolean;
  /** Whether the host runs cells when the page writes a trait. */
  reactive: boolean;
  /** Counts changes of selection and supervision, for such a host. */
  revision: number;
  /** The file to which the session is saved by itself. */
  saved_to: string;
  /** Why it could not be saved the last time. */
  save_error: string;
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
  /** Oldest first. */
  snapshots: SnapshotInfo[];
  /** What the map is compared with. */
  compared: Compared | null;
  /** The second live map. */
  second: SecondMap | null;
  /** Maps of some points, oldest first. */
  child_maps: ChildMap[];
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
  color_columns: "json",
  color_column_count: "json",
  color_by: "json",
  selection: "Uint32Array",
  selections: "json",
  new_rows: "Uint32Array",
  cards: "Uint32Array",
  explained: "json",
  unsupervised_shown: "json",
  data_note: "json",
  named: "json",
  names_shown: "json",
  imaged: "json",
  own_figure: "json",
  thumbnails_shown: "json",
  sidebar_width: "json",
  method: "json",
  quality_metric: "json",
  methods: "json",
  method_groups: "json",
  controls: "json",
  prepared: "json",
  parameters: "json",
  class_count: "json",
  state: "json",
  iteration: "json",
  cost: "json",
  quality: "json",
  error: "json",
  compiling: "json",
  learning: "json",
  making: "json",
  making_share: "json",
  meanwhile: "json",
  remark: "json",
  learning_error: "json",
  request: "json",
  worse_optimum: "json",
  polled: "json",
  reactive: "json",
  revision: "json",
  saved_to: "json",
  save_error: "json",
  undo: "json",
  redo: "json",
  history: "Float32Array",
  path: "json",
  path_symbol: "json",
  chosen_step: "json",
  snapshots: "json",
  compared: "json",
  second: "json",
  child_maps: "json",
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

/** What is suggested from the labels so far. Without arrays the page has none. Buffers: suggested (optional), sureness (optional), doubtful (optional), second (optional), suspicious (optional), instead (optional), foretold (optional), rightly (optional). */
export interface SuggestionsMessage {
  type: "suggestions";
  state: SuggestionState;
  /** Why there are none. */
  error: string;
  /** What takes long and how much of it is done; empty if nothing. */
  making: string;
  /** Share that is done; null if not counted. */
  share: number | null;
  check: SuggestionCheck | null;
}

/** What is known of a point. It may come a second time, with neighbors. Buffers: image (optional). */
export interface CardMessage {
  type: "card";
  /** The page. */
  client: string;
  point: number;
  /** Empty where points have no names. */
  name: string;
  rows: CardRow[];
  /** The number of columns without a row. */
  left_out: number;
  /** null while they are searched. */
  neighbors: CardNeighbor[] | null;
  /** Features in which it is unusually high, as its neighbors are. */
  high: string[];
  low: string[];
  /** The classes of the nearest labeled points. */
  labeled: CardClass[];
  /** Why its image cannot be shown. */
  problem: string;
}

/** Names of points. */
export interface NamesMessage {
  type: "names";
  /** The page. */
  client: string;
  points: number[];
  names: string[];
}

/** The answer to a query; the query's type says which fields and buffers it has. */
export interface AnswerMessage {
  type: "answer";
  /** The page. */
  client: string;
  /** The command's number; each page counts its own. */
  request: number;
  name: string;
  /** Why there is no answer; fields and buffers are empty. */
  error: string | null;
  fields: object;
}

export type MessageToPage = FrameMessage | ReplyMessage | SuggestionsMessage | CardMessage | NamesMessage | AnswerMessage;

/** The page has loaded the widget. */
export interface HelloMessage {
  type: "hello";
  /** The page. */
  client: string;
}

/** What could not be sent by itself may be sent now. */
export interface PollMessage {
  type: "poll";
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

/** The card of a point is asked for. */
export interface InspectMessage {
  type: "inspect";
  /** The page. */
  client: string;
  point: number;
}

/** Names are asked for. */
export interface NamingMessage {
  type: "naming";
  /** The page. */
  client: string;
  points: number[];
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

/** Something that the page wants to know; its sets of points are the buffers. */
export interface QueryMessage {
  type: "query";
  /** The page. */
  client: string;
  /** The command's number; each page counts its own. */
  request: number;
  /** Its query overtakes older ones of the same asker. */
  asker: number;
  name: string;
  arguments?: object;
}

export type MessageFromPage = HelloMessage | PollMessage | ByeMessage | VisibleMessage | ViewsMessage | SuggestingMessage | PrecisionMessage | InspectMessage | NamingMessage | AckMessage | CommandMessage | QueryMessage;

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
  /** Make the points of a class points of another; the class is gone. */
  merge_classes: { old: string; into: string };
  /** Remove a class and take back the labels of its points; links and pins stay. */
  remove_class: { name: string };
  /** Take back the last change of parameters, supervision or method; the points stay. */
  undo: Record<string, never>;
  /** Do again what was undone last. */
  redo: Record<string, never>;
  /** Go to a place of the history; the points go back, too, where that is still known. */
  go_to: { number: number };
  /** Keep layout, parameters and supervision under a name; return the name. */
  snapshot: { name?: string };
  /** Go back to a snapshot. A converged map is paused there; undo keeps the layout. */
  restore: { name: string };
  /** Give a snapshot another name. */
  rename_snapshot: { old: string; new: string };
  /** Delete a snapshot; undo brings it back. */
  delete_snapshot: { name: string };
  /** Save points under a name, in place of those that were saved under it. */
  save_selection: { name: string };
  /** Delete a saved selection; its points and their labels stay as they are. */
  delete_selection: { name: string };
  /** Select points. */
  select: { by?: string };
  /** Choose what colors the unlabeled points. */
  color_by: { mode: ColorMode };
  /** Choose the column that colors the points. */
  color_by_column: { column: number };
  /** Draw points at random to ask for. */
  check_suggestions: { size: number; confidence: number };
  /** Keep the cards of these points open. */
  show_cards: Record<string, never>;
  /** Show or hide names on the map. */
  show_names: { shown: boolean };
  /** Show or hide images on the map. */
  show_thumbnails: { shown: boolean };
  /** Give the panel a width. */
  size_panel: { width: number };
  /** Show or hide the map without labels. */
  show_unsupervised: { shown: boolean };
  /** Change a parameter to a word. */
  set_word: { name: string; word: string };
  /** Give a class another look or place. */
  style_class: { name: string; color?: string; symbol?: MarkerSymbol; hidden?: boolean; place?: number };
  /** Forget the points that were drawn; their labels stay. */
  end_check: Record<string, never>;
  /** Compare the map, or a snapshot, with a snapshot. */
  compare: { snapshot: string; onto?: string };
  /** Compare the map with a second live map of a method. */
  compare_live: { method: string };
  /** Choose how two maps are compared. */
  show_comparison: { view: CompareView; by_change: boolean };
  /** Show one map again; a second live map ends. */
  end_comparison: Record<string, never>;
  /** Change parameters of the second map. */
  set_second: Record<string, number>;
  /** Start the second map again. */
  reset_second: Record<string, never>;
  /** Give the map the second one's method and parameters. */
  take_over_second: Record<string, never>;
  /** Make a map of some points alone. */
  map_of: Record<string, never>;
  /** Close a map of some points; its labels stay. */
  close_map: { widget: string };
  /** Make a map in which a column of the table is used like this. */
  prepare_column: { column: number; embedded: boolean; weight: number; log: boolean };
  /** Make a map whose numbers are scaled, or not. */
  standardize: { on: boolean };
  /** Give up what is done in the background. */
  cancel: { what: Background };
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
  merge_classes: [];
  remove_class: [];
  undo: [];
  redo: [];
  go_to: [];
  snapshot: [];
  restore: [];
  rename_snapshot: [];
  delete_snapshot: [];
  save_selection: [points: Uint32Array];
  delete_selection: [];
  select: [points: Uint32Array];
  color_by: [];
  color_by_column: [];
  check_suggestions: [];
  show_cards: [points: Uint32Array];
  show_names: [];
  show_thumbnails: [];
  size_panel: [];
  show_unsupervised: [];
  set_word: [];
  style_class: [];
  end_check: [];
  compare: [];
  compare_live: [];
  show_comparison: [];
  end_comparison: [];
  set_second: [];
  reset_second: [];
  take_over_second: [];
  map_of: [points: Uint32Array];
  close_map: [];
  prepare_column: [];
  standardize: [];
  cancel: [];
}

export type CommandName = keyof CommandArguments;

/** The arguments of each query. */
export interface QueryArguments {
  /** The columns whose titles have all words of a text, the best first; some of them if many. */
  find_columns: { use: ColumnUse; text: string };
  /** The points that have a text and pass all filters. */
  find: { text: string; column: number; filters: FindFilter[] };
  /** The neighbors of points, or the points grown or shrunk by them. */
  find_near: { k: number; space: FindSpace; step: FindStep };
  /** The points of a saved selection. */
  saved_selection: { name: string };
  /** What distinguishes points from others; without others, from the rest. */
  describe: { sort: GroupSort; features: number; words: number; values: number };
  /** The features and words that `describe` tells of, all of them, as a file. */
  describe_csv: { sort: GroupSort };
  /** The columns of a table of points, and points in the order of one; of none, all points. */
  order: { table: RowTable; column: number; descending: boolean };
  /** The cells of points; those of number and label are empty. */
  rows: { table: RowTable };
  /** Groups of points that the data suggest, the largest first; of no points, groups of all. */
  suggest_groups: { resolution: number };
  /** A point's neighbors in the data and on the map. */
  neighborhood: { point: number; k: number };
  /** The terms of the cost, and the force of each on a point. */
  forces: { point: number };
  /** A measure of each point. It may be of an older layout, and empty, until it is ready. */
  measure: { measure: Measure; k: number };
  /** In how many other maps, which are made if need be, a group is together. */
  recurrence: Record<string, never>;
  /** The map without labels, which is made if need be. */
  unsupervised: { k: number };
  /** Small pictures of snapshots: the places of some points, brought onto the present map. */
  thumbnails: Record<string, never>;
  /** A map that the present one or a snapshot is compared with, brought onto it. */
  map_beside: { snapshot: string; onto?: string };
  /** How far the neighborhood of each point differs between two maps. */
  map_change: { snapshot: string; onto?: string; k: number };
  /** The steps of the history, the oldest first, undone ones last. */
  changes: Record<string, never>;
  /** The lines of Python that do a step of the history again. */
  change_code: { number: number };
  /** All points with their labels as CSV. */
  labels_csv: Record<string, never>;
  /** A page with the map that needs no kernel. */
  web_page: Record<string, never>;
  /** The columns of the table whose titles have all words of a text; some of them if many. */
  data_columns: { text: string };
  /** Small images of some points. */
  images: Record<string, never>;
  /** The figure that the user has given. */
  own_figure: Record<string, never>;
}

/** The sets of points of each query, each a buffer. */
export interface QueryPoints {
  find_columns: [];
  find: [among: Uint32Array];
  find_near: [points: Uint32Array];
  saved_selection: [];
  describe: [points: Uint32Array, against: Uint32Array];
  describe_csv: [points: Uint32Array, against: Uint32Array];
  order: [points: Uint32Array];
  rows: [points: Uint32Array];
  suggest_groups: [points: Uint32Array];
  neighborhood: [];
  forces: [];
  measure: [];
  recurrence: [points: Uint32Array];
  unsupervised: [];
  thumbnails: [];
  map_beside: [];
  map_change: [];
  changes: [];
  change_code: [];
  labels_csv: [];
  web_page: [];
  data_columns: [];
  images: [points: Uint32Array];
  own_figure: [];
}

/** The answer to each query. */
export interface QueryAnswers {
  find_columns: { columns: number[]; titles: string[]; colors: (number | null)[]; numbers: boolean[]; matching: number; count: number };
  find: { charts: FindChart[]; hits: FindHit[]; found: Uint32Array };
  find_near: { found: Uint32Array };
  saved_selection: { found: Uint32Array };
  describe: { size: number; others: number; features: GroupFeature[]; left_out: number; categories: GroupColumn[]; words: GroupWord[]; words_left_out: number; averaged: number; mean_image: Uint8Array; other_image: Uint8Array; difference: Uint8Array };
  describe_csv: { text: string };
  order: { columns: RowColumn[]; left_out: number; column: number; descending: boolean; order: Uint32Array };
  rows: { points: number[]; cells: string[][] };
  suggest_groups: { colors: string[]; typical: number[][]; border: number[][]; nearest: number[][]; left_out: number; codes: Int32Array };
  neighborhood: { point: number; k: number; version: number; trustworthiness: number | null; continuity: number | null; kept: Uint32Array; missing: Uint32Array; false: Uint32Array; missing_ranks: Uint32Array; false_ranks: Uint32Array };
  forces: { point: number; version: number; equation: string; cost: number | null; terms: ForceTerm[]; total: [number, number]; total_length: number; pinned: boolean };
  measure: { name: Measure; k: number; version: number; ready: boolean; mean: number | null; made: number; of: number; values: Float32Array };
  recurrence: { together: number; ready: boolean; made: number; of: number };
  unsupervised: { ready: boolean; iteration: number; qualities: QualityChange[]; positions: Float32Array };
  thumbnails: { names: string[]; points: Uint32Array; places: Uint16Array };
  map_beside: { version: number; iteration: number; cost: number | null; quality: number | null; disparity: number | null; turn: number | null; mirrored: boolean; scale: number | null; range: number[]; positions: Uint8Array };
  map_change: { k: number; mean: number; change: Uint8Array };
  changes: { place: number; first: number; changes: PastChange[] };
  change_code: { text: string };
  labels_csv: { text: string };
  web_page: { text: string };
  data_columns: { refusal: string; columns: DataColumn[]; standardized: boolean; embedded: number; matching: number; count: number };
  images: { points: number[]; lengths: number[]; pngs: Uint8Array };
  own_figure: { svg: boolean; picture: Uint8Array };
}

/** The buffers of each answer, in order: name and typed array. */
export const QUERY_BUFFERS = {
  find_columns: [],
  find: [["found", "Uint32Array"]],
  find_near: [["found", "Uint32Array"]],
  saved_selection: [["found", "Uint32Array"]],
  describe: [["mean_image", "Uint8Array"], ["other_image", "Uint8Array"], ["difference", "Uint8Array"]],
  describe_csv: [],
  order: [["order", "Uint32Array"]],
  rows: [],
  suggest_groups: [["codes", "Int32Array"]],
  neighborhood: [["kept", "Uint32Array"], ["missing", "Uint32Array"], ["false", "Uint32Array"], ["missing_ranks", "Uint32Array"], ["false_ranks", "Uint32Array"]],
  forces: [],
  measure: [["values", "Float32Array"]],
  recurrence: [],
  unsupervised: [["positions", "Float32Array"]],
  thumbnails: [["points", "Uint32Array"], ["places", "Uint16Array"]],
  map_beside: [["positions", "Uint8Array"]],
  map_change: [["change", "Uint8Array"]],
  changes: [],
  change_code: [],
  labels_csv: [],
  web_page: [],
  data_columns: [],
  images: [["pngs", "Uint8Array"]],
  own_figure: [["picture", "Uint8Array"]],
} as const;

export type QueryName = keyof QueryArguments;

/** The colors of numbers from the lowest to the highest, by ground. */
export const COLOR_SCALES = {"light": ["#d5dbe2", "#b5dfc4", "#7fcdbb", "#41b6c4", "#1d91c0", "#225ea8", "#253494", "#081d58"], "dark": ["#343a4c", "#355f8d", "#2a788e", "#21918c", "#22a884", "#44bf70", "#7ad151", "#bddf26", "#fde725"]} as const;

/** The least contrast of a color with its ground, and steps of lightness until then. */
export const CONTRAST = {"light": 3.05, "dark": 3.6, "step": 0.01, "steps": 60} as const;

/** Lightness of OKLab on a light ground. */
export const LIGHT_GROUND = {"palest": 0.85, "to": 0.66, "slope": 0.8} as const;

/** Lightness of OKLab on a dark ground. */
export const DARK_GROUND = {"keep": 0.75, "darkest": 0.25, "to": 0.5, "exponent": 0.7} as const;

/** From linear RGB to the cube of cone responses, from these to OKLab; and back. */
export const OKLAB = {"toLms": [[0.4122214708, 0.5363325363, 0.0514459929], [0.2119034982, 0.6806995451, 0.1073969566], [0.0883024619, 0.2817188376, 0.6299787005]], "toLab": [[0.2104542553, 0.793617785, -0.0040720468], [1.9779984951, -2.428592205, 0.4505937099], [0.0259040371, 0.7827717662, -0.808675766]], "fromLab": [[1.0, 0.3963377774, 0.2158037573], [1.0, -0.1055613458, -0.0638541728], [1.0, -0.0894841775, -1.291485548]], "fromLms": [[4.0767416621, -3.3077115913, 0.2309699292], [-1.2684380046, 2.6097574011, -0.3413193965], [-0.0041960863, -0.7034186147, 1.707614701]]} as const;

/** Corners of the marker shapes, in units of the radius of a circle that looks as large, y down; a circle has none. */
export const MARKER_CORNERS = {"circle": [], "square": [[0.8415, -0.8415], [0.8415, 0.8415], [-0.8415, 0.8415], [-0.8415, -0.8415]], "triangle": [[0.0, -1.21], [1.0479, 0.605], [-1.0479, 0.605]], "diamond": [[0.0, -1.16], [1.16, -0.0], [0.0, 1.16], [-1.16, 0.0]], "star": [[0.0, -1.24], [0.3174, -0.4369], [1.1793, -0.3832], [0.5136, 0.1669], [0.7289, 1.0032], [0.0, 0.54], [-0.7289, 1.0032], [-0.5136, 0.1669], [-1.1793, -0.3832], [-0.3174, -0.4369]], "cross": [[-0.35, -1.03], [0.35, -1.03], [0.35, -0.35], [1.03, -0.35], [1.03, 0.35], [0.35, 0.35], [0.35, 1.03], [-0.35, 1.03], [-0.35, 0.35], [-1.03, 0.35], [-1.03, -0.35], [-0.35, -0.35]], "wedge": [[0.0, 1.21], [-1.0479, -0.605], [1.0479, -0.605]], "pentagon": [[0.0, -1.13], [1.0747, -0.3492], [0.6642, 0.9142], [-0.6642, 0.9142], [-1.0747, -0.3492]], "saltire": [[0.4808, -0.9758], [0.9758, -0.4808], [0.495, -0.0], [0.9758, 0.4808], [0.4808, 0.9758], [0.0, 0.495], [-0.4808, 0.9758], [-0.9758, 0.4808], [-0.495, 0.0], [-0.9758, -0.4808], [-0.4808, -0.9758], [-0.0, -0.495]], "hexagon": [[0.0, -1.13], [0.9786, -0.565], [0.9786, 0.565], [0.0, 1.13], [-0.9786, 0.565], [-0.9786, -0.565]]} as const;

/** Points of a group by which its pieces are told, and the share of them that is usually near a point. */
export const PIECES = {"few": 64, "near": 0.2} as const;

/** Share of the values of a measure at either end that the scale leaves out. */
export const EXTREME = 0.01 as const;

/** Steps of a confidence in [0, 1]. */
export const SURENESS_STEPS = 200 as const;

/** Of suggested groups, where none is chosen. */
export const RESOLUTION = 0.5 as const;

/** The largest weight of a column. */
export const HEAVIEST = 3.0 as const;

/** Images that one question asks for. */
export const MOST_IMAGES = 16 as const;
