/** Length in Unicode code points, as JSON Schema counts it: an emoji outside the BMP is one. */
export function codePoints(text: string): number {
  return Array.from(text).length;
}
