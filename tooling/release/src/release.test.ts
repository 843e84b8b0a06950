import { globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { root } from '@deskside/checks/src/workspace.ts';
import { temporaryFolder } from '@deskside/testkit';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { brokenLinks, PAGES, withAbsoluteLinks } from './links.ts';

const pages = globSync(PAGES, { cwd: root });
const homepage = 'https://github.com/acme/desk';

test('no link of a page leads nowhere', () => {
  expect(pages).toContain('README.md');
  expect(brokenLinks(pages, root)).toStrictEqual([]);
});

test('a published page has absolute links to the files of its version', () => {
  const folder = temporaryFolder();
  for (const file of ['docs/todo.md', 'docs/pictures/x.png', 'packages/todo/src/index.ts']) {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    writeFileSync(join(folder, file), '');
  }
  const page =
    '[a](../../docs/todo.md#use) [b](src) ![c](../../docs/pictures/x.png) [d](#here) [e](https://example.com)\n<img src="../../docs/pictures/x.png">\n\n<source srcset="../../docs/pictures/x.png">\n';
  const from = { homepage, directory: 'packages/todo', tag: 'v1', root: folder };
  expect(withAbsoluteLinks(page, from)).toBe(
    [
      '[a](https://github.com/acme/desk/blob/v1/docs/todo.md#use)',
      '[b](https://github.com/acme/desk/tree/v1/packages/todo/src)',
      '![c](https://github.com/acme/desk/raw/v1/docs/pictures/x.png)',
      '[d](#here) [e](https://example.com)\n<img src="https://github.com/acme/desk/raw/v1/docs/pictures/x.png">\n\n<source srcset="https://github.com/acme/desk/raw/v1/docs/pictures/x.png">\n',
    ].join(' '),
  );
});

type Texts = Readonly<Record<string, string>>;
interface Workflow {
  readonly jobs: Readonly<Record<string, { readonly steps: readonly Texts[] }>>;
}
const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { scripts: Texts };

test.each(globSync('.github/workflows/*.yml', { cwd: root }))('%s calls scripts that exist', (file) => {
  const { jobs } = parse(readFileSync(join(root, file), 'utf8')) as Workflow;
  const steps = Object.values(jobs).flatMap((job) => job.steps);
  expect(steps.every(({ run, uses }) => (run === undefined) !== (uses === undefined))).toBe(true);
  const called = steps.flatMap(({ run = '' }) =>
    [...run.matchAll(/\b(?:npm run|pnpm run|pnpm) ([a-z:]+)/g)].map(([, name]) => name ?? ''),
  );
  expect(
    called.filter((name) => scripts[name] === undefined && !['install', 'exec'].includes(name)),
  ).toStrictEqual([]);
});
