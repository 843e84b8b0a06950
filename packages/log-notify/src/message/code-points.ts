/** UTF-16 index at which the first `count` code points end. */
function endOf(text: string, count: number): number {
  let index = 0;
  for (let seen = 0; seen < count && index < text.length; seen += 1) index += widthAt(text, index);
  return index;
}

/** Code points from a UTF-16 index to the end. */
function countFrom(text: string, start: number): number {
  let count = 0;
  for (let index = start; index < text.length; index += widthAt(text, index)) count += 1;
  return count;
}

/** The first `count` code points, none of them in half. */
export function firstCodePoints(text: string, count: number): string {
  return text.slice(0, endOf(text, count));
}

/** The same, saying how many were left out. */
export function cut(text: string, count: number): string {
  const end = endOf(text, count);
  return end === text.length ? text : `${text.slice(0, end)}…[truncated ${countFrom(text, end)}]`;
}

function widthAt(text: string, index: number): 1 | 2 {
  return (text.codePointAt(index) ?? 0) > 0xffff ? 2 : 1;
}
