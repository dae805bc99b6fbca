/**
 * Many points as densities: where more points fall on a pixel than it can show, it shows how many
 * they are and the mean of their colors, whatever the order in which they are drawn.
 *
 * Point i covers the pixel p by m(p − p_i) ∈ [0, 1], the marker's mask, and has the weight w_i, its
 * opacity. A pixel's amount and color are
 *
 *     a(p) = Σ_i w_i m(p − p_i),     c(p) = Σ_i w_i m(p − p_i) c_i / a(p):
 *
 * each class has the share of the color that it has of the points. Both sums are convolutions of
 * weights counted by pixel with m, so the time is a few additions for each point and some dozen for
 * each pixel. The opacity of a pixel is α₁ a up to a single point (a ≤ 1), and above that rises with
 * the logarithm of a to 1 at the largest amount in view: a lone point stays visible, and dense
 * regions can be told apart.
 */

/** Where points are on the screen, and which of them to draw. */
interface Splats {
  /** x, y interleaved, in the units of the data. */
  positions: Float32Array;
  /** RGBA, four bytes for each point. */
  colors: Uint8Array;
  /** Share of its color that a point has, the background having the rest: byte 3 of the marks. */
  marks: Uint8Array;
  /** Indices of the points, of which those from `first` to `last` (exclusive) are drawn. */
  order: Uint32Array;
  first: number;
  last: number;
}

/** Screen position in pixels: x' = left + x · scale, y' = top − y · scale. */
export interface Placement {
  left: number;
  top: number;
  scale: number;
}

/** Side of a square with the area of a disc of diameter 1. */
const SQUARE = Math.sqrt(Math.PI) / 2;
/** Opacity of a lone point, and the least largest amount, so that few points do not look dense. */
const LONE = 0.62;
const FEWEST = 12;

export class Density {
  private width = 0;
  private height = 0;
  /** Sums for each pixel: weight × red, green, blue, and weight. */
  private sums = new Float32Array(0);
  /** Rows with a point in them; a row of zeros above the first and below the last is left out. */
  private occupied = new Uint8Array(0);

  /** Prepare for a canvas. */
  resize(width: number, height: number): void {
    if (width === this.width && height === this.height) return;
    this.width = width;
    this.height = height;
    this.sums = new Float32Array(4 * width * height);
    this.occupied = new Uint8Array(height);
  }

  /**
   * Blend the points onto opaque pixels. `diameter` is that of a marker in pixels; `outline`, if
   * given, is a color drawn around the pixels that the points cover.
   */
  draw(pixels: Uint32Array, splats: Splats, place: Placement, diameter: number, ground: number, outline?: number): void {
    this.count(splats, place, ground);
    // The mask is a square as large as the marker; beyond its middle pixel it reaches so far.
    const reach = Math.min(1, Math.max(0, (diameter * SQUARE - 1) / 2));
    this.spreadAlongRows(reach);
    this.blend(pixels, reach, outline);
  }

  /** Add up the weights and colors of the points in each pixel. */
  private count({ positions, colors, marks, order, first, last }: Splats, { left, top, scale }: Placement, ground: number): void {
    const { width, height, sums, occupied } = this;
    sums.fill(0);
    occupied.fill(0);
    const [red, green, blue] = [ground & 255, (ground >> 8) & 255, (ground >> 16) & 255];
    for (let k = first; k < last; k++) {
      const i = order[k];
      const x = left + positions[2 * i] * scale;
      const y = top - positions[2 * i + 1] * scale;
      if (!(x >= 0 && y >= 0 && x < width && y < height)) continue;
      const c = 4 * i;
      const weight = colors[c + 3] * (1 / 255);
      const row = y | 0;
      occupied[row] = 1;
      const s = 4 * (row * width + (x | 0));
      sums[s + 3] += weight;
      if (marks[c + 3] === 255) {
        sums[s] += weight * colors[c];
        sums[s + 1] += weight * colors[c + 1];
        sums[s + 2] += weight * colors[c + 2];
        continue;
      }
      const own = (weight * marks[c + 3]) / 255;
      const rest = weight - own;
      sums[s] += own * colors[c] + rest * red;
      sums[s + 1] += own * colors[c + 1] + rest * green;
      sums[s + 2] += own * colors[c + 2] + rest * blue;
    }
  }

  /** Convolve each row with (reach, 1, reach). */
  private spreadAlongRows(reach: number): void {
    const { width, height, sums, occupied } = this;
    for (let y = 0; y < height; y++) {
      if (!occupied[y]) continue;
      const end = 4 * (y + 1) * width;
      let [r0, g0, b0, w0] = [0, 0, 0, 0]; // the pixel before, as it was
      for (let s = 4 * y * width; s < end; s += 4) {
        const last = s + 4 === end;
        const [r, g, b, w] = [sums[s], sums[s + 1], sums[s + 2], sums[s + 3]];
        const wn = last ? 0 : sums[s + 7];
        if (w0 !== 0 || w !== 0 || wn !== 0) {
          sums[s] = r + reach * (r0 + (last ? 0 : sums[s + 4]));
          sums[s + 1] = g + reach * (g0 + (last ? 0 : sums[s + 5]));
          sums[s + 2] = b + reach * (b0 + (last ? 0 : sums[s + 6]));
          sums[s + 3] = w + reach * (w0 + wn);
        }
        r0 = r;
        g0 = g;
        b0 = b;
        w0 = w;
      }
    }
  }

  /** Convolve each column with (reach, 1, reach), and blend the outcome onto the pixels. */
  private blend(pixels: Uint32Array, reach: number, outline?: number): void {
    const { width, height, sums, occupied } = this;
    const row = 4 * width;
    const near = (y: number): boolean =>
      occupied[y] === 1 || (y > 0 && occupied[y - 1] === 1) || (y + 1 < height && occupied[y + 1] === 1);
    const most = this.largest(reach, near);
    const rise = (1 - LONE) / Math.log(Math.max(most, FEWEST));
    for (let y = 0; y < height; y++) {
      if (!near(y)) continue;
      const [above, up, below, down] = this.rowsBeside(y, reach);
      let s = y * row;
      for (let p = y * width; p < (y + 1) * width; p++, s += 4) {
        const amount = sums[s + 3] + up * sums[s + above + 3] + down * sums[s + below + 3];
        if (amount <= 0) continue;
        const opacity = amount <= 1 ? LONE * amount : LONE + rise * Math.log(amount);
        const share = opacity / amount;
        const keep = 1 - opacity;
        const under = pixels[p];
        const red = share * (sums[s] + up * sums[s + above] + down * sums[s + below]) + keep * (under & 255);
        const green = share * (sums[s + 1] + up * sums[s + above + 1] + down * sums[s + below + 1]) + keep * ((under >> 8) & 255);
        const blue = share * (sums[s + 2] + up * sums[s + above + 2] + down * sums[s + below + 2]) + keep * ((under >> 16) & 255);
        pixels[p] = 0xff000000 | ((blue + 0.5) << 16) | ((green + 0.5) << 8) | (red + 0.5);
      }
    }
    if (outline !== undefined) this.surround(pixels, outline);
  }

  /** Color the pixels beside covered ones that no point covers, but not a gap of one pixel between two. */
  private surround(pixels: Uint32Array, outline: number): void {
    const { width, height, sums } = this;
    const row = 4 * width;
    const covered = new Uint8Array(width * height);
    for (let p = 0, s = 3; p < covered.length; p++, s += 4) {
      if (sums[s] > 0 || (s >= row && sums[s - row] > 0) || (s + row < sums.length && sums[s + row] > 0)) covered[p] = 1;
    }
    for (let y = 1; y + 1 < height; y++) {
      for (let p = y * width + 1; p < (y + 1) * width - 1; p++) {
        if (covered[p]) continue;
        const across = covered[p - 1] + covered[p + 1];
        const along = covered[p - width] + covered[p + width];
        if (across + along > 0 && across < 2 && along < 2) pixels[p] = 0xff000000 | outline;
      }
    }
  }

  /**
   * How far the sums of the rows above and below are from those of row `y`, each with its factor.
   * Beyond the edge there is nothing: the row itself, with the factor 0.
   */
  private rowsBeside(y: number, reach: number): [above: number, up: number, below: number, down: number] {
    const row = 4 * this.width;
    return [y > 0 ? -row : 0, y > 0 ? reach : 0, y + 1 < this.height ? row : 0, y + 1 < this.height ? reach : 0];
  }

  /** The largest amount of any pixel. */
  private largest(reach: number, near: (y: number) => boolean): number {
    const { width, height, sums } = this;
    const row = 4 * width;
    let most = 0;
    for (let y = 0; y < height; y++) {
      if (!near(y)) continue;
      const [above, up, below, down] = this.rowsBeside(y, reach);
      for (let s = y * row + 3; s < (y + 1) * row; s += 4) {
        const amount = sums[s] + up * sums[s + above] + down * sums[s + below];
        if (amount > most) most = amount;
      }
    }
    return most;
  }
}
