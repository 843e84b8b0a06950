import { type Invocation, StartError } from '@deskside/core';
import type { Command } from './command.ts';
import { http } from './http.ts';
import { stdio } from './stdio.ts';
import { tokenShow } from './token-show.ts';

const COMMANDS: readonly Command[] = [stdio, http, tokenShow];

export const usage = [
  'All Deskside servers as one MCP endpoint.',
  '',
  'Usage: deskside <command> [options]',
  ...COMMANDS.flatMap(({ words, summary, options }) => [
    '',
    `deskside ${words}`,
    `  ${summary}`,
    ...(options === undefined ? [] : ['', options]),
  ]),
  '',
  'deskside --help',
  'deskside --version',
  '',
  'Each mounted server reads its own environment names, for example TODO_DATABASE_URL.',
].join('\n');

/** @throws StartError that names the commands there are */
export async function runCommand(invocation: Invocation): Promise<void> {
  const { argv } = invocation;
  const command = COMMANDS.find(({ words }) => words === argv.slice(0, words.split(' ').length).join(' '));
  if (command === undefined) {
    const names = COMMANDS.map(({ words }) => `"deskside ${words}"`).join(', ');
    throw new StartError(
      `${argv.length === 0 ? 'Say what to do' : `There is no "${argv[0]}"`}: ${names}. See --help.`,
    );
  }
  await command.run({ ...invocation, argv: argv.slice(command.words.split(' ').length) });
}
