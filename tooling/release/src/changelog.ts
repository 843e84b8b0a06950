/** What `changeset version` writes into a CHANGELOG.md: the words of a change, without commits, and one line for all dependencies. */
export default {
  getReleaseLine: ({ summary }: { readonly summary: string }): string =>
    `- ${summary.trim().replaceAll(/\n(?=\S)/g, '\n  ')}`,

  getDependencyReleaseLine(_changesets: unknown, dependencies: readonly Dependency[]): string {
    const names = dependencies.map(({ name, newVersion }) => `${name} ${newVersion}`);
    return names.length === 0 ? '' : `- Depends on ${names.join(', ')}`;
  },
};

interface Dependency {
  readonly name: string;
  readonly newVersion: string;
}
