/** Where the sources are public. Packages, the registry and all links of a release name it. */
export interface Repository {
  readonly owner: string;
  readonly name: string;
}

/**
 * @param text `owner/name`, as GITHUB_REPOSITORY has it
 * @throws Error for anything else
 */
export function repositoryFrom(text: string): Repository {
  const [, owner, name] = /^([\w.-]+)\/([\w.-]+)$/.exec(text) ?? [];
  if (owner === undefined || name === undefined) {
    throw new Error(`"${text}" is not a GitHub repository. Use owner/name.`);
  }
  return { owner, name };
}

export function homepageOf({ owner, name }: Repository): string {
  return `https://github.com/${owner}/${name}`;
}

/** What package.json says about the sources. npm accepts provenance only if `repository` is where the workflow runs. */
export function repositoryFields(repository: Repository, directory: string) {
  const homepage = homepageOf(repository);
  return {
    repository: { type: 'git', url: `git+${homepage}.git`, directory },
    homepage: `${homepage}/tree/main/${directory}#readme`,
    bugs: { url: `${homepage}/issues` },
  };
}

/** Name of a server in the MCP registry, which only the owner of the repository can publish. */
export function registryName({ owner }: Repository, mcpName: string): string {
  return `io.github.${owner}/${mcpName.split('/')[1] ?? mcpName}`;
}
