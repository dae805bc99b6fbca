/** Which names and images a map shows: placed anew a few times a second while anything changes, and drawn in each frame. */
import type { Store } from "../state/store";
import { rgba, type Theme } from "../host/theme";
import { toScreen, type Camera, type Size } from "../state/camera";
import { centerBoxes } from "./centers";
import { ShownPositions } from "../state/shown_positions";
import { groupCenters, GROUP_HALF, LONGEST_SIDE, NO_NAMES, overlap, placeNames, POINT_HALF, seenDirections, type Box, type Extent, type Group, type Names, type PlacedImage, type PlacedName } from "./naming";

/** Milliseconds between two placements. */
const PACE = 400;
/** Categories above which none is named. */
const MOST_GROUPS = 60;
const FAMILY = "system-ui, -apple-system, 'Segoe UI', sans-serif";
const GROUP_FONT = `600 12.5px ${FAMILY}`;
const POINT_FONT = `11px ${FAMILY}`;

export class NameTags {
  private names: Names = NO_NAMES;
  private placedAt = -Infinity;
  private readonly widths = new Map<string, number>();

  private readonly positions: ShownPositions;
  private known: { points: Uint32Array | null; set: Set<number> | null } = { points: null, set: null };

  /** `annotated` says whether the map draws the method's centers and directions, with their names. */
  constructor(
    private readonly store: Store,
    private readonly annotated: () => boolean,
  ) {
    this.positions = new ShownPositions(store);
  }

  /** Place names, unless that was done just now; returns the milliseconds to wait then, else 0. */
  update(context: CanvasRenderingContext2D, camera: Camera, size: Size, positions: Float32Array, chosen: Iterable<number>): number {
    const { traits, cards, thumbnails } = this.store;
    const named = traits.names_shown.peek();
    const imaged = traits.imaged.peek() && traits.thumbnails_shown.peek();
    if (!(named || imaged) || !positions.length) {
      this.names = NO_NAMES;
      return 0;
    }
    const left = this.placedAt + PACE - performance.now();
    if (left > 0) return left;
    const there = this.positions.of(positions);
    const measure = (font: string) => (text: string) => this.width(context, font, text);
    this.names = placeNames({
      camera,
      size,
      positions: there,
      groups: named ? this.groups(there) : [],
      named: named && traits.named.peek(),
      taken: this.annotated() ? centerBoxes(context, camera, size, this.store.centers.peek()) : [],
      nameOf: (i) => cards.name(i),
      imaged,
      imageOf: (i) => this.extent(i),
      first: [...chosen, ...this.names.images.map(({ point }) => point), ...this.names.points.map(({ point }) => point)],
      groupWidth: measure(GROUP_FONT),
      pointWidth: measure(POINT_FONT),
    });
    if (this.names.unknown.length) cards.askNames(this.names.unknown);
    if (this.names.unseen.length) thumbnails.ask(this.names.unseen);
    this.placedAt = performance.now();
    return 0;
  }

  draw(context: CanvasRenderingContext2D, camera: Camera, size: Size, positions: Float32Array, theme: Theme): void {
    context.textAlign = "center";
    context.textBaseline = "middle";
    // Since they were placed the points may have moved, and names with them, over each other.
    const written: Box[] = [];
    const selected = this.selected();
    const write = ({ point, text, dx, dy, width }: PlacedName, half: number, halo: number, alpha: number): void => {
      if (2 * point + 1 >= positions.length) return;
      const [left, top] = toScreen(camera, size, positions[2 * point], positions[2 * point + 1]);
      const [x, y] = [left + dx, top + dy];
      const box = { left: x - width / 2, right: x + width / 2, top: y - half + 1, bottom: y + half - 1 };
      if (!(x >= 0) || written.some((other) => overlap(box, other))) return;
      written.push(box);
      context.lineWidth = halo;
      context.strokeStyle = rgba(theme.background, 0.9);
      context.strokeText(text, x, y);
      context.fillStyle = rgba(theme.foreground, alpha);
      context.fillText(text, x, y);
    };
    const show = ({ point, dx, dy, width, height }: PlacedImage): void => {
      const image = this.store.thumbnails.get(point);
      if (!image || 2 * point + 1 >= positions.length) return;
      const [x, y] = toScreen(camera, size, positions[2 * point], positions[2 * point + 1]);
      const [left, top] = [x + dx - width / 2, y + dy - height / 2];
      const box = { left, right: left + width, top, bottom: top + height };
      if (!(x >= 0) || written.some((other) => overlap(box, other))) return;
      written.push(box);
      context.globalAlpha = selected && !selected.has(point) ? 0.35 : 1;
      context.imageSmoothingEnabled = image.naturalWidth > width;
      context.drawImage(image, left, top, width, height);
      context.strokeStyle = rgba(theme.foreground, 0.35);
      context.lineWidth = 1;
      context.beginPath();
      context.rect(left, top, width, height);
      context.stroke();
    };
    context.font = GROUP_FONT;
    for (const name of this.names.groups) write(name, GROUP_HALF, 4, 1);
    for (const image of this.names.images) show(image);
    context.globalAlpha = 1;
    context.font = POINT_FONT;
    // Names of points outside of a selection are as pale as they are.
    for (const name of this.names.points) write(name, POINT_HALF, 3, selected && !selected.has(name.point) ? 0.35 : 0.85);
  }

  /** How large the image of a point is drawn. */
  private extent(point: number): Extent | null | undefined {
    const image = this.store.thumbnails.get(point);
    if (!image) return image;
    const scale = LONGEST_SIDE / Math.max(image.naturalWidth, image.naturalHeight);
    return { width: scale * image.naturalWidth, height: scale * image.naturalHeight };
  }

  /** The selected points, null if there are none. */
  private selected(): Set<number> | null {
    const points = this.store.traits.selection.peek();
    if (this.known.points !== points) this.known = { points, set: points.length ? new Set(points) : null };
    return this.known.set;
  }

  /** The names that are shown now, for tests and tools. */
  get shown(): { groups: string[]; points: string[]; images: readonly PlacedImage[]; placed: readonly PlacedName[]; placedGroups: readonly PlacedName[] } {
    const { points, groups, images } = this.names;
    return { groups: groups.map(({ text }) => text), points: points.map(({ text }) => text), images, placed: points, placedGroups: groups };
  }

  /** The classes, or the categories while these color the points, without names that the method's centers or directions bear. */
  private groups(positions: Float32Array): Group[] {
    const { traits, centers } = this.store;
    const classes = traits.classes.peek();
    if (!this.annotated()) return this.allGroups(positions);
    const borne = new Set(centers.peek().map(({ name }) => name));
    seenDirections(traits.directions.peek()).forEach((seen, k) => seen && classes[k] && borne.add(classes[k].name));
    return this.allGroups(positions).filter(({ text }) => !borne.has(text));
  }

  private allGroups(positions: Float32Array): Group[] {
    const { traits, centers } = this.store;
    const column = traits.color_column.peek();
    if (traits.color_by.peek() === "column") {
      const few = column.kind === "category" && column.names.length <= MOST_GROUPS;
      return few ? groupCenters(positions, traits.color_values.peek(), column.names) : [];
    }
    if (centers.peek().length && this.annotated()) return [];
    return groupCenters(positions, traits.label_codes.peek(), traits.classes.peek().map(({ name }) => name));
  }

  private width(context: CanvasRenderingContext2D, font: string, text: string): number {
    const key = `${font} ${text}`;
    let width = this.widths.get(key);
    if (width === undefined) {
      if (this.widths.size > 5000) this.widths.clear();
      context.font = font;
      width = context.measureText(text).width;
      this.widths.set(key, width);
    }
    return width;
  }
}
