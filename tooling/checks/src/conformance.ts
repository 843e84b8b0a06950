import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { root } from '@deskside/repo';
import type { Check, CheckResult } from './check.ts';

const folder = join(root, 'tooling/conformance');

/** One result for each scenario of the protocol's conformance suite. */
export const conformance: Check = {
  name: 'conformance',
  async run() {
    if (!existsSync(join(folder, 'package.json'))) return [];
    const { runConformance } = (await import(pathToFileURL(join(folder, 'src/run.ts')).href)) as {
      runConformance(): Promise<readonly CheckResult[]>;
    };
    return runConformance();
  },
};
