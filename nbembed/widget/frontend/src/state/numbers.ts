/** How numbers are written: one minus sign, and as many digits as they are worth. */

/** The text of a number with a minus sign in place of a hyphen. */
export function minus(text: string): string {
  return text.replace(/(^|e)-/g, "$1−");
}

/** A number in four significant figures, or in scientific notation if it is very large or small. */
export function readable(value: number): string {
  return minus(isExtreme(value) ? value.toExponential(2) : value.toPrecision(4));
}

/** Three significant figures. */
export function short(value: number): string {
  return minus(isExtreme(value) ? value.toExponential(1).replace("e+", "e") : String(Number(value.toPrecision(3))));
}

/** A p-value as text. */
export function pText(p: number | null): string {
  if (p === null) return "p –";
  if (p < 1e-300) return "p < 1e−300";
  return `p ${p < 1e-3 ? minus(p.toExponential(0)) : Number(p.toPrecision(2))}`;
}

/** The numbers of a column of a table: as many decimals for all as give the largest, and a sum below, three figures. */
export function alike(values: readonly number[], sum = 0): (value: number) => string {
  const largest = Math.max(0, ...values.map(Math.abs));
  if (isExtreme(largest)) return (value) => (value === 0 ? "0" : minus(value.toExponential(1).replace("e+", "e")));
  const decimalsOf = (size: number): number => (size ? Math.max(0, 2 - Math.floor(Math.log10(size))) : 0);
  const decimals = Math.max(decimalsOf(largest), isExtreme(sum) ? 0 : decimalsOf(Math.abs(sum)));
  return (value) => minus(value.toFixed(decimals)).replace(/^−(0\.?0*)$/, "$1");
}

function isExtreme(value: number): boolean {
  const size = Math.abs(value);
  return size >= 1e5 || (size > 0 && size < 1e-3);
}
