import { join } from 'node:path';
import { defineCommand, folders, loadOrCreateToken } from '@deskside/core/cli';
import { tokenOptions } from '../options.ts';

export function tokenFile(): string {
  return join(folders().data, 'token');
}

export const tokenShow = defineCommand({
  options: tokenOptions,
  examples: ['deskside token show'],
  async run({ token }, { print }) {
    print(token ?? (await loadOrCreateToken(tokenFile())));
  },
});
