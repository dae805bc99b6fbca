/** The camera: from data units to CSS pixels and back. y points up in the data, down on the screen. */

export interface Camera {
  /** Data coordinates of the center of the view. */
  x: number;
  y: number;
  /** CSS pixels per data unit. */
  scale: number;
  /** Factor on the size of markers, which grows as the view zooms in. */
  markerScale: number;
}

export interface Extent {
  left: number;
  right: number;
  bottom: number;
  top: number;
}

export interface Size {
  width: number;
  height: number;
}

const MARGIN = 26;

export function extentOf(positions: Float32Array): Extent | null {
  let left = Infinity;
  let right = -Infinity;
  let bottom = Infinity;
  let top = -Infinity;
  for (let i = 0; i + 1 < positions.length; i += 2) {
    const x = positions[i];
    const y = positions[i + 1];
    if (x < left) left = x;
    if (x > right) right = x;
    if (y < bottom) bottom = y;
    if (y > top) top = y;
  }
  return Number.isFinite(right - left) && Number.isFinite(top - bottom) ? { left, right, bottom, top } : null;
}

/** The camera that shows a whole extent. */
export function frameExtent(extent: Extent, size: Size): Camera {
  const width = Math.max(extent.right - extent.left, 1e-12);
  const height = Math.max(extent.top - extent.bottom, 1e-12);
  const scale = Math.min(
    Math.max(size.width - 2 * MARGIN, 20) / width,
    Math.max(size.height - 2 * MARGIN, 20) / height,
  );
  return { x: (extent.left + extent.right) / 2, y: (extent.bottom + extent.top) / 2, scale, markerScale: 1 };
}

export function toScreen(camera: Camera, size: Size, x: number, y: number): [number, number] {
  return [size.width / 2 + (x - camera.x) * camera.scale, size.height / 2 - (y - camera.y) * camera.scale];
}

export function toData(camera: Camera, size: Size, sx: number, sy: number): [number, number] {
  return [camera.x + (sx - size.width / 2) / camera.scale, camera.y - (sy - size.height / 2) / camera.scale];
}

/** Whether any point lies in the view. */
export function showsAny(camera: Camera, size: Size, positions: Float32Array): boolean {
  const [x, y] = [size.width / 2 / camera.scale, size.height / 2 / camera.scale];
  for (let i = 0; i + 1 < positions.length; i += 2) {
    if (Math.abs(positions[i] - camera.x) <= x && Math.abs(positions[i + 1] - camera.y) <= y) return true;
  }
  return false;
}

/** Zoom by a factor around the screen point (sx, sy). */
export function zoomAt(camera: Camera, size: Size, sx: number, sy: number, factor: number): Camera {
  const [x, y] = toData(camera, size, sx, sy);
  const scale = camera.scale * factor;
  return {
    x: x - (sx - size.width / 2) / scale,
    y: y + (sy - size.height / 2) / scale,
    scale,
    markerScale: camera.markerScale,
  };
}

export function panBy(camera: Camera, dx: number, dy: number): Camera {
  return { ...camera, x: camera.x - dx / camera.scale, y: camera.y + dy / camera.scale };
}
