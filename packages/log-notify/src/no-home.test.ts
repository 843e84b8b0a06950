import { chmodSync, mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { connectInProcess, LEGS, recordedContext, temporaryFolder } from '@deskside/testkit';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import { deliverAll, notifyOnRecord } from './commands/deliver-all.ts';
import { loadPlan } from './commands/load-plan.ts';
import { tail } from './commands/tail.ts';
import { openLogNotify } from './log-notify.ts';
import type { LogNotifyOptions } from './options.ts';
import { logNotifyServer } from './server.ts';
import { startReceiver } from './testing/receiver.ts';
import { linesIn } from './testing/written-lines.ts';

const WARNING = { level: 'warn', context: 'llm', message: 'hi' } as const;
const NO_HOME = 'This user has no home folder. Set HOME, or pass the path as an option.';
const FILE_ONLY = '[stderr]\nenabled = false\n[desktop]\nenabled = false\n';

let folder = '';
let temporary = '';

beforeEach(() => {
  folder = temporaryFolder();
  temporary = join(folder, `deskside-${process.getuid?.()}`);
  for (const name of ['HOME', 'XDG_CONFIG_HOME', 'XDG_DATA_HOME', 'XDG_STATE_HOME']) vi.stubEnv(name, '');
  vi.stubEnv('TMPDIR', folder);
  // Not that of a login on this machine.
  vi.stubEnv('XDG_RUNTIME_DIR', join(folder, 'nowhere'));
  return () => void vi.unstubAllEnvs();
});

/** Where the journal is. */
const SAID = 'until the machine restarts: This user has no home folder.';

function named() {
  const [config, file] = [join(folder, 'c.toml'), join(folder, 'n.jsonl')];
  writeFileSync(config, FILE_ONLY);
  return { config, file };
}

/** Sends a warning. @returns the reports and the failures */
async function sent(options: LogNotifyOptions): Promise<readonly string[]> {
  const reports: string[] = [];
  const report = (sentence: string) => void reports.push(sentence);
  await deliverAll(options, report, async (logNotify) => notifyOnRecord(logNotify, WARNING, 'send'));
  return reports;
}

describe.skipIf(process.platform === 'win32')('without a home folder', () => {
  test('a service that a variable names gets its notifications', async () => {
    await using receiver = await startReceiver();
    const { config } = named();
    expect(await sent({ config, webhookUrl: receiver.url })).toStrictEqual([expect.stringContaining(SAID)]);
    expect(receiver.received.map(({ body }) => JSON.parse(body))).toMatchObject([
      { data: { message: 'hi' } },
    ]);
    expect(linesIn(join(temporary, 'notify.jsonl'))).toHaveLength(1);
    expect(statSync(temporary).mode & 0o777).toBe(0o700);
  });

  test('config and file can be named, and only the desk database is temporary', async () => {
    const both = named();
    expect(await sent(both)).toStrictEqual([expect.stringContaining(SAID)]);
    expect(linesIn(both.file)).toHaveLength(1);
    expect(readdirSync(temporary)).toStrictEqual(['desk.sqlite']);
    expect(loadPlan(both).plan.sinks.map(({ name }) => name)).toStrictEqual(['file']);
  });

  test('tail reads what a server with the same configuration writes', async () => {
    const { config } = named();
    await sent({ config });
    const context = recordedContext();
    await tail.run({ config, follow: false }, context);
    expect(context.written.output).toContain('hi');
  });

  test('a temporary folder that other users can use gets nothing', async () => {
    mkdirSync(temporary);
    chmodSync(temporary, 0o755);
    await expect(sent({ config: named().config })).rejects.toThrow(`chmod 700 ${temporary}`);
  });

  test('and a named path, send says so, and the model reads that no sink works', async () => {
    await expect(sent({ filter: 'info' })).rejects.toThrow(NO_HOME);
    const reports: string[] = [];
    const logNotify = openLogNotify({}, { report: (sentence) => void reports.push(sentence) });
    await using peer = await connectInProcess(logNotifyServer(logNotify), LEGS[0]);
    const { content } = await peer.callTool('notify', { message: 'hi' });
    expect(content).toStrictEqual([
      { type: 'text', text: 'Notification sent: hi' },
      {
        type: 'text',
        text: 'No sink accepted the message: none works now. If it matters, tell the person in your answer.',
      },
    ]);
    // A slow machine looks for what other programs have left before.
    const ownReports = reports.filter((each) => !each.endsWith(SAID));
    expect(ownReports).toStrictEqual([`A notification was not delivered: ${NO_HOME}`]);
    // The end of the server is clean.
    await expect(logNotify[Symbol.asyncDispose]()).resolves.toBeUndefined();
  });
});
