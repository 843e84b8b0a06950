import leven from 'leven';

/** ` Did you mean "tail"?` if a name is close to the word or begins with it, else nothing. */
export function suggestionFor(word: string, names: readonly string[]): string {
  const longer = names.filter((name) => name.startsWith(`${word} `));
  const close = names
    .map((name) => ({ name, distance: leven(word, name) }))
    .filter(({ name, distance }) => distance <= allowedDistance(name))
    .toSorted((a, b) => a.distance - b.distance)
    .slice(0, 1)
    .map(({ name }) => name);
  const [best] = longer.length === 1 ? longer : close;
  return best === undefined ? '' : ` Did you mean "${best}"?`;
}

/** Two letters in the wrong order have the distance 2. */
function allowedDistance(name: string): number {
  const { length } = name.replace(/^-+/, '');
  return length < 4 ? 1 : Math.max(2, Math.floor(length / 3));
}
