import { silentLog } from '@deskside/core';
import type { ItemKind, ItemOutcome } from '@deskside/desktop';
import { systemClock } from '@deskside/core/base';
import { systemCall } from '@deskside/gateway';
import { HOSTILE, openPage } from './open-page.ts';

const CLAUDE = 'claude · web-shop';
const CODEX = 'codex · infra';
const CURSOR = 'cursor · mobile';
const GEMINI = 'gemini · docs';

interface Recorded {
  /** On the clock of this machine. */
  readonly at: string;
  readonly agent: string;
  readonly kind: ItemKind;
  readonly mount: string;
  readonly tool: string;
  readonly outcome: ItemOutcome;
  /** Of a notification. */
  readonly level?: string;
  readonly text?: string | undefined;
  /** What the person said. */
  readonly answer?: string | undefined;
  readonly isSeen?: boolean;
}

const todo = (at: string, agent: string, tool: string, outcome: ItemOutcome = 'ok'): Recorded => ({
  at,
  agent,
  kind: 'call',
  mount: 'todo',
  tool,
  outcome,
});
const note = (at: string, agent: string, level: string, text: string, isSeen = true): Recorded => ({
  at,
  agent,
  kind: 'notification',
  mount: 'log',
  tool: 'notify',
  outcome: 'delivered',
  level,
  text,
  isSeen,
});
/** With what was asked, and what the person answered, while it is kept. */
const asked = (
  at: string,
  agent: string,
  outcome: ItemOutcome,
  kind: ItemKind = 'question',
  ...[text, answer]: readonly string[]
): Recorded => ({
  at,
  agent,
  kind,
  mount: kind === 'approval' ? 'shop' : 'popup',
  tool: kind === 'approval' ? 'drop_table' : 'notify',
  outcome,
  text,
  answer,
});

/** What four agents did on a day. */
export const DAY: readonly Recorded[] = [
  todo('08:02', CLAUDE, 'list_tasks'),
  todo('08:05', CODEX, 'list_tasks'),
  asked('08:11', CODEX, 'answered'),
  note('08:30', CLAUDE, 'info', 'All 312 tests pass.'),
  todo('08:31', CLAUDE, 'complete_task'),
  asked('08:40', CURSOR, 'timed out'),
  todo('08:52', GEMINI, 'list_tasks', 'error'),
  asked('09:12', CLAUDE, 'answered', 'question', 'Which branch?', 'release/2.1\n\nBut not before noon.'),
  note('09:20', CURSOR, 'warn', 'The coverage is below 80 %.\n\n- cart.ts 61 %\n- checkout.ts 74 %'),
  todo('09:35', CURSOR, 'add_task'),
  note('09:41', CODEX, 'error', `The state is locked by ci-runner-3. ${HOSTILE}`, false),
  asked('09:45', CODEX, 'denied', 'approval', 'Run shop › drop_table?', `Not on a Friday. ${HOSTILE}`),
  asked('09:46', CODEX, 'allowed', 'approval', 'Run shop › drop_index?', 'session'),
  asked('10:03', GEMINI, 'cancelled'),
  todo('10:04', GEMINI, 'add_task'),
  note('11:15', GEMINI, 'info', 'تم النشر بنجاح'),
  note(
    '11:16',
    CLAUDE,
    'info',
    `The plan of the release: ${'check the cart, then the checkout; '.repeat(12)}`,
  ),
  asked('13:05', CLAUDE, 'closed', 'news', 'The **release** is on staging.'),
  todo('13:10', CODEX, 'update_task'),
  todo('13:11', CODEX, 'complete_task', 'denied'),
  asked('14:00', GEMINI, 'withdrawn'),
  todo('16:00', CLAUDE, 'add_task'),
  note('17:02', CLAUDE, 'info', 'Done: the release is on staging.'),
];

const QUESTION = `## Release 2.1.0

Keep the old \`/cart\` route? Two **partners** still use it: [list](https://example.org/partners)

| partner | calls |
| - | - |
| Ada | 1,204 |
| Bob | 17 |`;

const TASKS = [
  { title: 'Renew the certificate of the shop', due_date: '2026-11-20' },
  { title: 'Read the contract', due_date: '2127-01-15' },
  { title: 'Water the plants', due_date: '2126-12-31', every: 'month' },
  { title: 'حجز الرحلة' },
];

const MINUTE_MS = 60_000;

/** The page of a desk at the end of that day: with what waits, tasks and a recorded day of manictime. */
export async function openDay() {
  const since = new Date().toISOString();
  const midnightMs = new Date().setHours(0, 0, 0, 0);
  let minute = 0;
  // The journal writes soon, at the times of that day.
  const clock = { ...systemClock, now: () => new Date(midnightMs + minute * MINUTE_MS) };
  const desk = await openPage({
    recorded: true,
    clock,
    clients: [CLAUDE, CODEX, CURSOR, GEMINI].map((label) => ({
      label,
      since,
      openCalls: 0,
      // The last one uses HTTP.
      session: label === GEMINI ? undefined : label,
      hasNote: label === CODEX,
    })),
  });
  for (const { at, agent, kind, mount, tool, outcome, level, text, answer, isSeen } of DAY) {
    const [hours = 0, minutes = 0] = at.split(':').map(Number);
    minute = hours * 60 + minutes;
    const content = text === undefined ? undefined : { text, level };
    const record = desk.journal.begin({ kind, caller: agent, user: 'owner', mount, tool, content });
    if (isSeen === true) record.seen('desktop');
    record.end(outcome, undefined, answer);
  }
  void desk.ask(QUESTION, { options: ['Keep it', 'Remove it'] });
  void desk.ask('هل نحذف المسار القديم؟', { caller: CODEX, options: ['نعم', 'لا'] });
  void desk.ask('Done: all tests pass.', { kind: 'news', caller: CURSOR });
  void desk.ask('Run shop › drop_table?', {
    kind: 'approval',
    caller: CODEX,
    approval: {
      id: 'a',
      arguments: [{ name: 'to', value: 'orders '.repeat(200) }],
      calls: 1,
      others: [{ id: 'b', arguments: [{ name: 'to', value: 'customers'.repeat(200) }], calls: 1 }],
      claim: 'The server says of it: "destroys data".',
      more: ['session', 'always'],
      isExact: true,
    },
  });
  const mount = desk.opened.mounts.find(({ id }) => id === 'todo');
  for (const task of TASKS)
    if (mount !== undefined)
      await systemCall(mount, 'add_task', { user_id: 'me', ...task }, 'owner', silentLog);
  await desk.claim(CODEX, 1, 60 * MINUTE_MS);
  await desk.claim(HOSTILE, 2, 60 * MINUTE_MS);
  // Its time is over.
  await desk.claim(CURSOR, 3, 0);
  return { ...desk, open: 4 };
}
