import { published } from '@deskside/checks/src/workspace.ts';
import { homepageOf, type Repository } from './repository.ts';

/** The steps before a workflow can publish: npm lets a workflow publish only packages that exist. */
export function firstRelease(repository: Repository): string {
  const names = published.map(({ name }) => name);
  return `The first release, once, by a person:

1. Take the names. Create the organization "deskside" on npmjs.com, for the scope @deskside. Take the unscoped name
   "deskside", too: publish a package of this name that depends on @deskside/aggregator and starts its program. Until it
   exists, no page may say "npx deskside", because another person could publish it.
2. npm login
3. pnpm release publish --repository ${repository.owner}/${repository.name}
   This publishes ${names.length} packages: ${names.join(', ')}.
4. For each package, on npmjs.com under Settings, Trusted publisher: GitHub Actions, repository
   ${repository.owner}/${repository.name}, workflow release.yml, environment npm. Then allow no tokens.
5. ${homepageOf(repository)}/settings/environments: create the environment "npm" with required reviewers.
6. Push a tag. From now on .github/workflows/release.yml publishes with provenance, and registers the servers in the
   MCP registry as io.github.${repository.owner}/….`;
}
