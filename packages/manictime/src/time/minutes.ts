/** Whole seconds as minutes with one decimal, halves to the even tenth: the one place where time is rounded. */
export function minutesOf(seconds: number): number {
  const tenths = Math.floor(seconds / 6);
  const rest = seconds - tenths * 6;
  const up = rest > 3 || (rest === 3 && tenths % 2 !== 0);
  return (tenths + (up ? 1 : 0)) / 10;
}
