import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { replaceSections, tableRow } from '@deskside/checks/src/docs/sections.ts';
import { HOSTS } from './hosts.ts';
import type { FirstTurns, Measured } from './measure.ts';
import { QUESTION_SECONDS } from './questions.ts';

export const PAGE = resolve(import.meta.dirname, '../../../docs/hosts.md');
export const RESULTS = resolve(import.meta.dirname, '../results.json');

export type Part = 'turns' | 'hosts' | 'questions';

export interface Results {
  /** Per part of the results and host: the day of the last run. */
  readonly measured: Readonly<Record<Part, Readonly<Record<string, string>>>>;
  readonly turns: Readonly<Record<string, FirstTurns>>;
  readonly hosts: Readonly<Record<string, Measured>>;
  /** Per host and seconds until a question is answered: when the model read the answer, or what it read instead. */
  readonly questions: Readonly<Record<string, Readonly<Record<string, string>>>>;
}

export function storedResults(): Results {
  return JSON.parse(readFileSync(RESULTS, 'utf8')) as Results;
}

/** With what a run has shown, and its day. A run shows the whole of a host, and of questions the lengths it was asked for. */
export function withFacts(stored: Results, part: Part, id: string, facts: object, day: string): Results {
  const before = part === 'hosts' ? {} : stored[part][id];
  const measured = { ...stored.measured, [part]: { ...stored.measured[part], [id]: day } };
  return { ...stored, measured, [part]: { ...stored[part], [id]: { ...before, ...facts } } };
}

/** What is stored of a host. */
interface Shown extends Measured {
  readonly turns: FirstTurns | undefined;
  readonly questions: Readonly<Record<string, string>>;
  readonly dayOf: (part: Part) => string;
}
/** A title, and a cell per host. */
type Row = readonly [string, (host: Shown) => string];

/** Not measured. */
const UNKNOWN = '–';

const SHARES = { whole: 'yes', partly: 'in part', nothing: '**no**' } as const;

function result(title: string, tool: string): Row {
  return [title, ({ results: { [tool]: share } }) => (share === undefined ? UNKNOWN : SHARES[share])];
}

function measuredOn(title: string, part: Part): Row {
  return [title, ({ dayOf }) => dayOf(part)];
}

const CONNECTION: readonly Row[] = [
  ['Version', ({ version }) => version],
  measuredOn('Measured', 'hosts'),
  ['Name as a client', ({ clientInfo: { name } }) => `\`${name}\``],
  ['Protocol', ({ protocol }) => protocol],
  ['Declares', ({ declares }) => declares.map((name) => name.replace(/.*\//, '')).join(', ')],
  ['Lists', ({ lists }) => lists.map((list) => list.replace('/list', '')).join(', ')],
];

const READ: readonly Row[] = [
  ['Tools with schemas at first', ({ tools: { shown, listed } }) => `${shown} of ${listed}`],
  ['Their size', ({ tools: { bytes } }) => `${(bytes / 1000).toFixed(1)} kB`],
  ['`popup_notify` and `log_notify` at first', ({ loadsQuestions }) => (loadsQuestions ? 'yes' : '**no**')],
  ['Tools for views only', ({ offersViews }) => (offersViews ? '**yes**' : 'no')],
  ['Output schemas', ({ showsOutputSchemas }) => (showsOutputSchemas ? 'yes' : 'no')],
  [
    'Instructions',
    ({ instructions: [part, all] }) =>
      part === all ? 'whole' : part === 0 ? '**no**' : `${part} of ${all} characters`,
  ],
  result('An object', 'todo_add_task'),
  result('A list', 'todo_list_tasks'),
  result('An error and its hint', 'todo_delete_task'),
  result('A list of a server behind the desk', 'sample_list'),
  ['A list of another server through `find_tools` and `call_tool`', ({ searched = UNKNOWN }) => searched],
  result('An error of such a server', 'sample_fail'),
  result('A call that must be allowed, without a screen', 'sample_remove'),
  ['A call that the person denied, with the reason', ({ denied = UNKNOWN }) => denied],
  result('An image', 'sample_picture'),
];

const FIRST: readonly Row[] = [
  [
    'The first turn has the tools',
    ({ turns }) => {
      if (turns === undefined) return UNKNOWN;
      const share = `${turns.ready} of ${turns.of}`;
      return turns.ready === turns.of ? share : `**${share}**`;
    },
  ],
  measuredOn('Measured', 'turns'),
];

const ASKED: readonly Row[] = [
  ['`log_notify` without a rule', ({ unasked }) => unasked['log_notify'] ?? ''],
  ['`popup_notify` without a rule', ({ unasked }) => unasked['popup_notify'] ?? ''],
  ['A form without a terminal', ({ form = 'no forms' }) => form],
];

/** After `connect`, and in a terminal where the host waits in another way there. */
const ANSWERED = QUESTION_SECONDS.map((seconds): Row => [
  `Answered after ${seconds / 60} minutes`,
  ({ questions: { [seconds]: read = UNKNOWN } }) => {
    const [time, instead] = read.split(': ');
    return instead === undefined ? read : `**ends after ${time}**`;
  },
]);
const QUESTIONS: readonly Row[] = [...ANSWERED, measuredOn('Measured', 'questions')];

/** The page with the tables of these results. */
export function pageOf(page: string, { measured, turns, hosts, questions }: Results): string {
  const shown = HOSTS.flatMap(({ id }): Shown[] => {
    const host = hosts[id];
    const dayOf = (part: Part) => measured[part][id] ?? UNKNOWN;
    return host === undefined ? [] : [{ ...host, turns: turns[id], questions: questions[id] ?? {}, dayOf }];
  });
  const table = (rows: readonly Row[]) => {
    const lines = rows.map(([title, cell]) => ({ title, cells: shown.map(cell) }));
    const isEqual = ({ cells }: (typeof lines)[number]) => new Set(cells).size === 1;
    const equal = lines.filter(isEqual).map(({ title, cells: [cell = ''] }) => `${title}: ${cell}.`);
    return [
      tableRow(['', ...shown.map(({ title }) => title)]),
      tableRow(['---', ...shown.map(() => '---')]),
      ...lines.filter((each) => !isEqual(each)).map(({ title, cells }) => tableRow([title, ...cells])),
      ...(equal.length === 0 ? [] : ['', `The same for all: ${equal.join(' ')}`]),
    ].join('\n');
  };
  const late = shown.filter(({ turns }) => turns !== undefined && turns.ready < turns.of);
  const lateNames = late.map(({ title }) => title).join(' and ');
  return replaceSections(page, {
    connection: () => table(CONNECTION),
    read: () => table(READ),
    'first-turn': () => `${table(FIRST)}\n\n${lateNames || 'No host'} began before Deskside was ready.`,
    permissions: () => table(ASKED),
    questions: () => table(QUESTIONS),
  });
}
