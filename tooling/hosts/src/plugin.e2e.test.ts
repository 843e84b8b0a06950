import { execFile } from 'node:child_process';
import { resolve } from 'node:path';
import { promisify } from 'node:util';
import { temporaryFolder } from '@deskside/testkit';
import { expect, test } from 'vitest';
import { installed } from './drive.ts';
import { HOSTS } from './hosts.ts';

const root = resolve(import.meta.dirname, '../../..');
const isProof = process.env['DESKSIDE_PROOF'] === '1';

test.runIf(isProof).each(['.', 'plugins/deskside'])(
  'Claude Code accepts %s without a warning',
  async (folder) => {
    const host = HOSTS.find(({ id }) => id === 'claude-code');
    if (host === undefined) throw new Error('The bench has no Claude Code.');
    const env = { HOME: temporaryFolder(), CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1' };
    const args = ['plugin', 'validate', '--strict', folder];
    const { stdout } = await promisify(execFile)(await installed(host), args, { cwd: root, env });
    expect(stdout).not.toContain('⚠');
  },
);
