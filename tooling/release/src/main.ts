// `pnpm release stage|publish`: see docs/releasing.md.
import { existsSync, readdirSync } from 'node:fs';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { root } from '@deskside/checks/src/workspace.ts';
import { bundleAll } from './bundles.ts';
import { obstacleIn, publishAll } from './publish.ts';
import { stageAll } from './stage.ts';

const USAGE = `Usage: pnpm release stage|publish --repository OWNER/NAME [--to FOLDER] [--dry-run]

  stage    packs everything that is published into FOLDER (default: release)
  publish  packs it, and publishes to npm what npm does not have yet; --dry-run only tries

The repository is also taken from GITHUB_REPOSITORY.`;

function fail(text: string): never {
  console.error(text);
  process.exit(1);
}

const { values, positionals } = parseArgs({
  args: process.argv.slice(2).filter((argument) => argument !== '--'),
  options: { repository: { type: 'string' }, to: { type: 'string' }, 'dry-run': { type: 'boolean' } },
  allowPositionals: true,
});
const [command = '', ...rest] = positionals;
const given = values.repository ?? process.env['GITHUB_REPOSITORY'];
const isTrial = values['dry-run'] === true;
const folder = resolve(root, values.to ?? 'release');

if (!['stage', 'publish'].includes(command) || rest.length > 0) fail(USAGE);
if (given === undefined) fail('A release needs the public repository. Pass --repository OWNER/NAME.');
if (!/^[\w.-]+\/[\w.-]+$/.test(given)) fail(`"${given}" is not a GitHub repository. Use owner/name.`);
const obstacle = command === 'publish' && !isTrial ? await obstacleIn(root) : undefined;
if (obstacle !== undefined) fail(obstacle);
if (values.to !== undefined && existsSync(folder) && readdirSync(folder).length > 0)
  fail(`${folder} is not empty. Pass a new folder with --to.`);

const homepage = `https://github.com/${given}`;
const staged = await stageAll(homepage, folder);
const bundles = await bundleAll(staged, homepage, folder);
for (const path of [...staged.map(({ tarball }) => tarball), ...bundles]) console.log(path);
if (command === 'publish') for (const line of await publishAll(staged, isTrial)) console.log(line);
