import { readFileSync } from 'node:fs';
import { temporaryFolder } from '@deskside/testkit';
import { expect, test } from 'vitest';
import { log } from '../commands/log.ts';
import { connectAsking } from '../testing/asking-agent.ts';
import { runCommand } from '../testing/commands.ts';
import { deskHome } from '../testing/desk-home.ts';
import { filesBelow } from '../testing/files-below.ts';
import { userHome } from '../testing/user-home.ts';

const NO_HISTORY = { NOTIFY_POPUP_HISTORY: 'false', LOG_NOTIFY_HISTORY: 'false', UI_TOAST_HISTORY: 'false' };

test.each([
  ['with a history every text is found in a file below the home folder', {}],
  ['without a history no file below the home folder contains a text, also while deliveries wait', NO_HISTORY],
])('%s, and who did what is recorded', async (_title, settings) => {
  const words = { message: 'Zanzibar', answer: 'quagmire', notification: 'marzipan', toast: 'kerfuffle' };
  const desk = deskHome();
  userHome(desk.home);
  const temporary = { TMPDIR: temporaryFolder(), CLAUDE_PROJECT_DIR: '/srv/infra' };
  // Nothing listens there.
  const env = { ...settings, ...temporary, LOG_NOTIFY_WEBHOOK_URL: 'http://127.0.0.1:1/' };
  const agent = await connectAsking(desk.command(['stdio', '--standalone', '--as', 'codex'], env));
  const question = agent.peer.callTool('popup_notify', { message: words.message });
  await agent.asked;
  agent.answer(words.answer);
  await question;
  await agent.peer.callTool('log_notify', { message: words.notification, level: 'error' });
  await agent.peer.callTool('toast_show_notification', { message: words.toast, severity: 'success' });
  await agent.peer.callTool('todo_add_task', { user_id: 'me', title: 'Milk' });
  await agent.peer.callTool('todo_complete_task', { user_id: 'me', task_id: 99 });
  await agent.peer[Symbol.asyncDispose]();
  const texts = filesBelow(desk.home).map((file) => readFileSync(file));
  const found = Object.values(words).filter((word) => texts.some((text) => text.includes(word)));
  expect(found).toStrictEqual(settings === NO_HISTORY ? [] : Object.values(words));
  const { stdout } = await runCommand(log, { flags: { json: true, project: 'infra' } });
  // Of a call no arguments and no answer.
  expect(stdout).not.toContain('Milk');
  const who = { token: 'codex', user: 'owner', caller: 'Codex · infra' };
  expect(
    stdout
      .trim()
      .split('\n')
      .map((line): unknown => JSON.parse(line)),
  ).toMatchObject([
    { ...who, kind: 'question', outcome: 'answered', via: 'form' },
    { ...who, kind: 'notification', outcome: expect.any(String), mount: 'log' },
    { ...who, kind: 'notification', outcome: 'ok', mount: 'toast' },
    { ...who, kind: 'call', outcome: 'ok', mount: 'todo', tool: 'add_task' },
    { ...who, kind: 'call', outcome: 'error', tool: 'complete_task' },
  ]);
});
