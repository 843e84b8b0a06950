import type { ItemKind, JournalFilter, JournalRecord } from '@deskside/core/base';
import {
  choiceField,
  type CommandContext,
  defineCommand,
  integerField,
  journalFolder,
} from '@deskside/core/cli';
import { localDateTime } from '@deskside/core/dates';
import { followJournal, isWanted } from '@deskside/core/desk';
import { escapeInvisible, escapeInvisibleJson } from '@deskside/core/text';
import * as z from 'zod';
import { earlierCalls } from '../journal/earlier-calls.ts';

const KINDS = ['question', 'news', 'notification', 'approval', 'call'] as const satisfies readonly ItemKind[];

const viewFlags = {
  follow: z
    .boolean()
    .default(false)
    .meta({ short: 'f', description: 'Wait for new records and print them.' }),
  json: z.boolean().default(false).meta({ description: 'Print JSON lines, times with their offset.' }),
  limit: integerField(0, 10_000)
    .default(50)
    .meta({ short: 'n', placeholder: 'COUNT', description: 'Number of earlier records to print.' }),
};

export const log = defineCommand({
  flags: {
    ...viewFlags,
    agent: z
      .string()
      .optional()
      .meta({ placeholder: 'NAME', description: 'Only agents whose name or token contains this text.' }),
    project: z.string().optional().meta({ placeholder: 'NAME', description: 'Only this project.' }),
    kind: choiceField(KINDS)
      .optional()
      .meta({ placeholder: 'KIND', description: `Only this kind: ${KINDS.join(', ')}.` }),
  },
  details:
    'The journal contains who asked, called or notified, when, and how it ended. It contains no questions, answers, texts or arguments.',
  examples: ['deskside log', 'deskside log --follow', 'deskside log --agent codex --kind question --json'],
  run: async ({ follow, json, limit, ...filter }, context) =>
    printRecords({ follow, json, limit }, { filter, isShown: () => true, none: 'No records.' }, context),
});

export const activity = defineCommand({
  flags: viewFlags,
  details:
    'A part of "deskside log": who called which tool, the outcome and the duration. It contains no arguments and no answers.',
  examples: ['deskside activity', 'deskside activity --follow', 'deskside activity --json --limit 1000'],
  run: async (flags, context) =>
    printRecords(
      flags,
      // An approval has a record beside that of its call.
      {
        filter: {},
        isShown: ({ kind, mount }) => mount !== undefined && kind !== 'approval',
        none: 'No calls.',
      },
      context,
    ),
});

interface View {
  readonly filter: JournalFilter;
  readonly isShown: (record: JournalRecord) => boolean;
  /** What is printed if there is no record. */
  readonly none: string;
}

interface Printing {
  readonly follow: boolean;
  readonly json: boolean;
  readonly limit: number;
}

async function printRecords(
  { follow, json, limit }: Printing,
  { filter, isShown, none }: View,
  { print, closed }: CommandContext,
): Promise<void> {
  const earlier = (await earlierCalls()).filter((record) => isWanted(record, filter));
  const open = new Set<string>();
  const show = (record: JournalRecord) => {
    if (json) return print(escapeInvisibleJson(JSON.stringify(record)));
    // A person reads when it begins and how it ends.
    const isNews = record.outcome !== undefined || !open.has(record.id);
    if (record.outcome === undefined) open.add(record.id);
    else open.delete(record.id);
    if (isNews) print(recordLine(record));
  };
  let isFirst = true;
  for await (const records of followJournal(journalFolder(), filter, closed)) {
    const all = [...(isFirst ? earlier : []), ...records].filter(isShown);
    const shown = isFirst ? all.slice(Math.max(0, all.length - limit)) : all;
    for (const record of shown) show(record);
    if (isFirst && shown.length === 0 && limit > 0 && !follow && !json) print(none);
    if (!follow) return;
    isFirst = false;
  }
}

/** `2026-11-22 10:31:07  call          todo add_task              ok                  12 ms  Claude Code · my-project` */
export function recordLine({ asked, kind, mount, tool, outcome, ms, caller }: JournalRecord): string {
  const what = [mount, tool].filter((part) => part !== undefined).join(' ');
  const time = ms === undefined ? '' : durationText(ms);
  return escapeInvisible(
    `${localDateTime(new Date(asked))}  ${kind.padEnd(12)}  ${what.padEnd(26)}  ${(outcome ?? 'open').padEnd(14)}  ${time.padStart(11)}  ${caller}`,
  );
}

/** `12 ms`, `4.2 s`, `2 min 37 s`, `1 h 5 min` */
function durationText(ms: number): string {
  if (ms < 1000) return `${ms} ms`;
  if (ms < 60_000) return `${(ms / 1000).toFixed(1)} s`;
  const minutes = Math.floor(ms / 60_000);
  if (minutes < 60) return `${minutes} min ${Math.floor((ms % 60_000) / 1000)} s`;
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}
