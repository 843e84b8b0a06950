/**
 * `#RRGGBB` of what databases hold: hexadecimal digits with or without `#`, with or without alpha, or an ARGB
 * integer; undefined for anything else.
 */
export function colorOf(stored: string | number | null): string | undefined {
  if (stored === null) return undefined;
  if (typeof stored === 'number') return `#${hex(stored)}`;
  const text = stored.trim();
  const digits = /^#?(?:[0-9a-f]{2})?([0-9a-f]{6})$/i.exec(text)?.[1];
  if (digits !== undefined) return `#${digits.toUpperCase()}`;
  return /^-?\d{1,10}$/.test(text) ? `#${hex(Number(text))}` : undefined;
}

function hex(argb: number): string {
  return (argb >>> 0).toString(16).padStart(8, '0').slice(-6).toUpperCase();
}
