import { choiceField, defineCommand, integerField } from '@deskside/core/program';
import { journalFolder, followJournal, type ItemKind, type JournalRecord } from '@deskside/desktop';
import { localDateTime } from '@deskside/core/dates';
import { escapeInvisible, escapeInvisibleJson } from '@deskside/core/text';
import * as z from 'zod';

const KINDS = ['question', 'news', 'notification', 'approval', 'call'] as const satisfies readonly ItemKind[];

export const log = defineCommand({
  flags: {
    follow: z
      .boolean()
      .default(false)
      .meta({ short: 'f', description: 'Wait for new records and print them.' }),
    json: z.boolean().default(false).meta({ description: 'Print JSON lines, times with their offset.' }),
    limit: integerField(0, 10_000)
      .default(50)
      .meta({ short: 'n', placeholder: 'COUNT', description: 'Number of earlier records to print.' }),
    agent: z
      .string()
      .optional()
      .meta({ placeholder: 'NAME', description: 'Only agents whose name or token contains this text.' }),
    project: z.string().optional().meta({ placeholder: 'NAME', description: 'Only this project.' }),
    kind: choiceField(KINDS)
      .optional()
      .meta({ placeholder: 'KIND', description: `Only this kind: ${KINDS.join(', ')}.` }),
    calls: z.boolean().default(false).meta({ description: 'Only who called which tool, and how it ended.' }),
  },
  details:
    'The journal contains who asked, called or notified, when, and how it ended. It contains no questions, answers, texts or arguments.',
  examples: [
    'deskside log',
    'deskside log --calls --follow',
    'deskside log --agent codex --kind question --json',
  ],
  async run({ follow, json, limit, calls, ...filter }, { print, closed }) {
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
      const all = calls ? records.filter(isCall) : records;
      const shown = isFirst ? all.slice(Math.max(0, all.length - limit)) : all;
      for (const record of shown) show(record);
      if (isFirst && shown.length === 0 && limit > 0 && !follow && !json)
        print(calls ? 'No calls.' : 'No records.');
      if (!follow) return;
      isFirst = false;
    }
  },
});

/** Of a tool. Its approval has a record beside it. */
function isCall({ kind, mount }: JournalRecord): boolean {
  return mount !== undefined && kind !== 'approval';
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
