// Exits with code 1 if a link of a page leads nowhere. Part of `npm test`.
import { globSync } from 'node:fs';
import { root } from '@deskside/checks/src/workspace.ts';
import { brokenLinks, PAGES } from './links.ts';

const pages = globSync(PAGES, { cwd: root });
const broken = brokenLinks(pages, root);
for (const link of broken) console.error(link);
process.exitCode = broken.length > 0 || !pages.includes('README.md') ? 1 : 0;
