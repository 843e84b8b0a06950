import { silentLog } from '@deskside/core';
import { type Command, defineCommand } from '@deskside/core/program';
import { openUserJournal } from '@deskside/desktop';
import { localDateTime } from '@deskside/core/dates';
import { escapeInvisible } from '@deskside/core/text';
import type { Self } from '@deskside/connect';
import type { DeskStatus, SessionStatus } from '../attach/desk-status.ts';
import { loadConfig } from '../config/load.ts';
import { type HttpClient, HttpClients } from '@deskside/page';
import { loginTexts } from '@deskside/gateway/servers';
import { configIn, flagField } from '../options.ts';
import { statusOfDesk } from './ask-desk.ts';
import { mountTable } from './list.ts';
import { inTerminal, recordLine } from './log.ts';

const DAY_MS = 86_400_000;
const NOT_RUNNING = 'No desk is running. It starts when a client needs it, and with "deskside open".';
const NO_CLIENTS = 'No clients. "deskside connect" shows how to connect those of this machine.';

/** The desk of this user, its clients and its mounts. */
export function status(self: Self): Command {
  return defineCommand({
    flags: { json: flagField('Print JSON.') },
    details:
      'Clients over HTTP are those that have called a tool in the last ten minutes. The exit code is 1 if no desk is running.',
    examples: ['deskside status', 'deskside status --json'],
    async run({ json }, { print, note, env, output }) {
      const data = await statusOfDesk(self, note);
      const loaded = data && (await loadConfig(configIn(env)));
      // Also of servers without a desk.
      await using journal = openUserJournal(silentLog);
      const records = await journal.records({ since: new Date(Date.now() - DAY_MS) });
      if (journal.problem !== undefined) note(journal.problem);
      const open = records.filter(({ outcome }) => outcome === undefined);
      const desk = data && { ...data, httpClients: new HttpClients().add(records).present(new Date()) };
      if (json) {
        const logins = Object.fromEntries(await loginTexts(loaded?.config.external ?? {}, env));
        print(JSON.stringify({ running: desk !== undefined, ...desk, logins, open }));
      } else {
        const mounts = desk === undefined ? [] : await mountTable(desk.mounts, env, loaded);
        const rows = mounts.flatMap(({ row, notes }) => [row].concat(notes));
        const lines = desk === undefined ? [NOT_RUNNING] : linesOf(desk, rows);
        const openLines = open.map((record) => `  ${recordLine(record)}`);
        const all = open.length === 0 ? lines : [...lines, '', 'Open now:', ...openLines];
        for (const line of all) print(inTerminal(escapeInvisible(line), output));
      }
      return data === undefined ? 1 : 0;
    },
  });
}

function linesOf(
  desk: DeskStatus & { readonly httpClients: readonly HttpClient[] },
  mounts: readonly string[],
): readonly string[] {
  const { pid, version, startedAt, url, sessions, httpClients } = desk;
  const clients = [...sessions.map(sessionLine), ...httpClients.map(httpClientLine)];
  return [
    `Desk ${version}, process ${pid}, serving since ${local(startedAt)}`,
    ...(url === undefined ? [] : [`HTTP at ${url}`]),
    '',
    clients.length === 0 ? NO_CLIENTS : 'Clients:',
    ...clients.map((client) => `  ${client}`),
    '',
    'Mounts:',
    ...mounts.map((line) => `  ${line}`),
  ];
}

function sessionLine({ name, label, pid, workingDirectory, since, openCalls }: SessionStatus): string {
  // The label contains the name; before the first call only the name and the folder are known.
  const who = label === undefined ? [name, workingDirectory].filter((part) => part !== undefined) : [label];
  return [
    who.length === 0 ? 'unknown' : who.join(': '),
    `process ${pid}`,
    `since ${local(since)}`,
    ...openCount(openCalls),
  ].join(', ');
}

function httpClientLine({ label, lastCall, openCalls }: HttpClient): string {
  return [label, 'HTTP', `last call ${local(lastCall)}`, ...openCount(openCalls)].join(', ');
}

function openCount(openCalls: number): readonly string[] {
  return openCalls === 0 ? [] : [openCalls === 1 ? '1 open call' : `${openCalls} open calls`];
}

function local(iso: string): string {
  return localDateTime(new Date(iso));
}
