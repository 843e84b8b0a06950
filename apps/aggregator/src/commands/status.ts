import { type Command, defineCommand } from '@deskside/core/cli';
import { escapeInvisible } from '@deskside/core/text';
import * as z from 'zod';
import type { Self } from '../attach/self.ts';
import type { DeskStatus, SessionStatus } from '../attach/status.ts';
import { statusOfDesk } from './ask-desk.ts';

/** The desk of this user, its clients and its mounts. */
export function status(self: Self): Command {
  return defineCommand({
    flags: { json: z.boolean().default(false).meta({ description: 'Print JSON.' }) },
    details: 'The exit code is 1 if no desk is running.',
    examples: ['deskside status', 'deskside status --json'],
    async run({ json }, { print }) {
      const data = await statusOfDesk(self);
      if (data === undefined) {
        print(
          json ? JSON.stringify({ running: false }) : 'No desk is running. It starts when a client needs it.',
        );
        return 1;
      }
      if (json) print(JSON.stringify({ running: true, ...data }));
      else for (const line of linesOf(data)) print(escapeInvisible(line));
      return 0;
    },
  });
}

function linesOf({ pid, version, startedAt, state, url, sessions, mounts }: DeskStatus): string[] {
  return [
    `Desk ${version}, process ${pid}, ${state} since ${startedAt}`,
    ...(url === undefined ? [] : [`HTTP at ${url}`]),
    '',
    sessions.length === 0 ? 'No attached clients.' : 'Attached clients:',
    ...sessions.map((session) => `  ${sessionLine(session)}`),
    '',
    'Mounts:',
    ...mounts.map(
      ({ id, state: mountState, reason, tools }) =>
        `  ${id.padEnd(10)} ${mountState}, ${counted(tools, 'tool')}${reason === undefined ? '' : `: ${reason}`}`,
    ),
  ];
}

function sessionLine({ name, label, pid, workingDirectory, since, openCalls }: SessionStatus): string {
  // The label contains the name; before the first call only the name and the folder are known.
  const who = label === undefined ? [name, workingDirectory].filter((part) => part !== undefined) : [label];
  return [
    who.length === 0 ? 'unknown' : who.join(': '),
    `process ${pid}`,
    `since ${since}`,
    ...(openCalls === 0 ? [] : [counted(openCalls, 'open call')]),
  ].join(', ');
}

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}
