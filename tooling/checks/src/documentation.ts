import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '@deskside/repo';
import type { Check } from './check.ts';
import { command, commandResult } from './command.ts';

const generator = 'tooling/docs/src/generate.ts';

export const documentation: Check = {
  name: 'docs fresh',
  async run() {
    if (!existsSync(join(root, generator))) return [];
    return [await commandResult('docs fresh', command('node', [generator, '--check']))];
  },
};
