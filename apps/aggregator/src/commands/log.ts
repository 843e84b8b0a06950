import { styleText } from 'node:util';
import { silentLog } from '@deskside/core';
import { choiceField, type CommandContext, defineCommand, integerField } from '@deskside/core/program';
import { ITEM_KINDS, type JournalRecord, openUserJournal } from '@deskside/desktop';
import { localDateTime } from '@deskside/core/dates';
import { escapeInvisible, escapeInvisibleJson, truncateCodePoints } from '@deskside/core/text';
import * as z from 'zod';
import { flagField } from '../options.ts';
import { cutToTerminal } from './table.ts';

/** The content stands below the kind of its record. */
const INDENT = ' '.repeat(10);
/** Of a text, without --full. */
const MAX_LINE_CODE_POINTS = 161;

const NOTHING =
  'No records yet. What agents ask, report and call appears here. To try it: deskside send Hello';
const NO_MATCH = 'No record matches. Without options "deskside log" shows the latest of all.';

export const log = defineCommand({
  flags: {
    follow: flagField('Wait for new records and print them.').meta({ short: 'f' }),
    json: flagField('Print JSON lines, times with their offset.'),
    limit: integerField(0, 10_000)
      .default(50)
      .meta({ short: 'n', placeholder: 'COUNT', description: 'Number of earlier records to print.' }),
    agent: z
      .string()
      .optional()
      .meta({ placeholder: 'NAME', description: 'Only agents whose name or token contains this text.' }),
    project: z.string().optional().meta({ placeholder: 'NAME', description: 'Only this project.' }),
    kind: choiceField(ITEM_KINDS)
      .optional()
      .meta({ placeholder: 'KIND', description: `Only this kind: ${ITEM_KINDS.join(', ')}.` }),
    full: flagField('Print questions, answers and messages whole.'),
    calls: flagField('Only who called which tool, and how it ended.'),
  },
  details:
    'It shows who asked, called or notified, when, how it ended, and its content: a question with its answer, a notification, a decision. Of a call it knows no arguments and no answer. Texts are kept for 7 days, and everything else for 90: "deskside data keep" changes that.',
  examples: [
    'deskside log',
    'deskside log --calls --follow',
    'deskside log --agent codex --kind question --json',
  ],
  async run({ follow, json, limit, calls, full, agent, ...filter }, { print, note, closed, output }) {
    await using journal = openUserJournal(silentLog);
    const open = new Set<string>();
    const show = (record: JournalRecord) => {
      if (json) return print(escapeInvisibleJson(JSON.stringify(record)));
      // A person reads when it begins and how it ends.
      const isNews = record.outcome !== undefined || !open.has(record.id);
      if (record.outcome === undefined) open.add(record.id);
      else open.delete(record.id);
      if (!isNews) return;
      for (const line of [recordLine(record), ...contentLines(record, full)])
        print(full ? line : inTerminal(line, output));
    };
    const matches = (record: JournalRecord) =>
      (!calls || isCall(record)) && (agent === undefined || isOf(agent.toLowerCase(), record));
    const wanted = { ...filter, matches, limit };
    if (!follow) {
      const records = await journal.records(wanted);
      for (const record of records) show(record);
      const conditions = [calls || undefined, agent, ...Object.values(filter)];
      if (records.length === 0 && limit > 0 && !json)
        print(conditions.some((each) => each !== undefined) ? NO_MATCH : NOTHING);
    }
    if (journal.problem !== undefined) note(journal.problem);
    if (!follow) return;
    for await (const records of journal.follow(wanted, closed)) for (const record of records) show(record);
  },
});

function isOf(agent: string, { caller, token = '' }: JournalRecord): boolean {
  return [caller, token].some((text) => text.toLowerCase().includes(agent));
}

/** Of a tool. Its approval has a record beside it. */
function isCall({ kind, mount }: JournalRecord): boolean {
  return mount !== undefined && kind !== 'approval';
}

const GOOD = new Set(['ok', 'answered', 'allowed', 'delivered', 'stored', 'closed', 'submitted']);
const BAD = new Set(['error', 'failed', 'lost', 'not shown', 'unknown']);

/** `10:31:07  Claude Code · my-project  ✓ call todo add_task          ok, 12 ms`; of another day with its date. */
export function recordLine(record: JournalRecord): string {
  const { asked, kind, mount, tool, outcome = 'open', ms, caller, display } = record;
  const [date = '', clock = ''] = localDateTime(new Date(asked)).split(' ');
  const when = localDateTime(new Date()).startsWith(date) ? clock : `${date} ${clock}`;
  const what = [kind, mount, tool].filter((part) => part !== undefined).join(' ');
  const took = ms === undefined ? '' : `${kind === 'call' ? ',' : ' after'} ${durationText(ms)}`;
  const where = display === undefined ? '' : ` (asked on ${display})`;
  const mark = GOOD.has(outcome) ? '✓' : BAD.has(outcome) ? '✗' : '!';
  return escapeInvisible(
    `${when}  ${escapeInvisible(caller).padEnd(24)}  ${mark} ${what.padEnd(26)}  ${outcome}${took}${where}`,
  );
}

const STYLES = new Map<string, 'green' | 'yellow' | 'red'>([
  ['✓', 'green'],
  ['!', 'yellow'],
  ['✗', 'red'],
]);

/** In a terminal: cut to its width, the time dim, the sign in color. Without colors if it has none. */
export function inTerminal(line: string, output: CommandContext['output']): string {
  if (output.isTTY !== true) return line;
  const cut = cutToTerminal(line, output);
  const [, time = '', rest = cut] = /^(\s*[-\d :]{8,19}  )(.*)$/s.exec(cut) ?? [];
  const colored = rest.replace(/(?<= )[✓!✗](?= )/u, (sign) => styleText(STYLES.get(sign) ?? 'reset', sign));
  return styleText('dim', time) + colored;
}

/** The content, below the line of its record: each text in one line, or whole. */
function contentLines({ kind, outcome, content }: JournalRecord, isFull: boolean): readonly string[] {
  const { text, answer } = content ?? {};
  const said = [
    ...(text === undefined ? [] : [text]),
    ...(answer === undefined ? [] : [`${kind === 'approval' ? (outcome ?? '') : 'answer'}: ${answer}`]),
  ];
  const lines = said.flatMap((each) =>
    isFull
      ? escapeInvisible(each, { multiline: true }).split('\n')
      : escapeInvisible(truncateCodePoints(each.trim().replaceAll(/\s+/g, ' '), MAX_LINE_CODE_POINTS)),
  );
  return lines.map((line) => INDENT + line);
}

/** `12 ms`, `4.2 s`, `2 min 37 s`, `1 h 5 min` */
function durationText(ms: number): string {
  if (ms < 1000) return `${ms} ms`;
  if (ms < 60_000) return `${(ms / 1000).toFixed(1)} s`;
  const minutes = Math.floor(ms / 60_000);
  if (minutes < 60) return `${minutes} min ${Math.floor((ms % 60_000) / 1000)} s`;
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}
