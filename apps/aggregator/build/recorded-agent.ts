#!/usr/bin/env node
import { connectStdio, firstText } from '@deskside/testkit';

// The agent of the recording: a client of the official SDK, with a script instead of a model. It uses the desk as every
// client does.
const [, , command = '', ...args] = process.argv;
const env = Object.fromEntries(
  Object.entries(process.env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
);
await using desk = await connectStdio(
  { command, args, env },
  { era: 'legacy', clientInfo: { name: 'release-agent', version: '1.0.0' } },
);

async function call(name: string, values: Readonly<Record<string, unknown>>): Promise<void> {
  process.stdout.write(`\x1b[36m→ ${name}\x1b[0m ${JSON.stringify(values)}\n`);
  const answer = firstText(await desk.callTool(name, values));
  process.stdout.write(`\x1b[32m← ${answer}\x1b[0m\n`);
}

await call('popup_notify', {
  title: 'Release',
  message: 'Version `2.1.0` is ready: **214 tests** are green.\n\nHow shall I release it?',
  options: ['To everyone now', 'To 5 % first', 'Tomorrow at 9:00'],
});
await call('log_notify', {
  level: 'info',
  message: 'Released 2.1.0 to 5 % of the users. Error rate: 0.2 %.',
});
