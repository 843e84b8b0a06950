// What `changeset version` writes into a CHANGELOG.md: the words of a change without its commit, and one line for all dependencies.

export function getReleaseLine({ summary }: { readonly summary: string }): string {
  return `- ${summary.trim().replaceAll(/\n(?=\S)/g, '\n  ')}`;
}

export function getDependencyReleaseLine(
  _changesets: unknown,
  dependencies: readonly { readonly name: string; readonly newVersion: string }[],
): string {
  const names = dependencies.map(({ name, newVersion }) => `${name} ${newVersion}`);
  return names.length === 0 ? '' : `- Depends on ${names.join(', ')}`;
}
