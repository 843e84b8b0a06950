/** The inverse of `escapeLine` for texts that were not truncated. */
export function restore(escaped: string): string {
  return escaped.replaceAll(
    /(\\+)(?:([nrt])|x([0-9a-f]{2})|u\{([0-9a-f]+)\})/g,
    (all: string, slashes: string, letter?: string, byte?: string, code?: string) => {
      const tail = all.slice(slashes.length);
      if (slashes.length % 2 === 0) return '\\'.repeat(slashes.length / 2) + tail;
      const plain = { n: '\n', r: '\r', t: '\t' }[letter ?? ''];
      const character = plain ?? String.fromCodePoint(Number.parseInt(byte ?? code ?? '', 16));
      return '\\'.repeat((slashes.length - 1) / 2) + character;
    },
  );
}
