/** A number in four significant figures, or in scientific notation if it is very large or small. */
export function readable(value: number): string {
  const size = Math.abs(value);
  return size >= 1e5 || (size > 0 && size < 1e-3) ? value.toExponential(2) : value.toPrecision(4);
}
