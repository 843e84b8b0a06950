import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { missingPackages, needs, openDesktop } from '@deskside/notify-popup/testing/desktop';
import { connectHttp, firstText, startProgram, temporaryFolder } from '@deskside/testkit';
import { expect, onTestFinished, test } from 'vitest';
import { withPersonAt } from '../testing/with-person.ts';

// Not the built program: its parts cannot be replaced.
const BIN = join(import.meta.dirname, '../cli.ts');
const FILES = join(
  import.meta.dirname,
  '../../node_modules/@modelcontextprotocol/server-filesystem/dist/index.js',
);

const TOKEN = 'a-token-for-the-person-at-the-screen';

/** A person at one display, and programs of an agent that have another one. */
async function openScene() {
  const home = temporaryFolder();
  const person = await openDesktop(home);
  onTestFinished(() => person[Symbol.asyncDispose]());
  const agent = await openDesktop(temporaryFolder());
  onTestFinished(() => agent[Symbol.asyncDispose]());
  const { DISPLAY = '', XAUTHORITY = '' } = agent.env;
  const env = withPersonAt(person.env, { ...person.env, XAUTHORITY, DESKSIDE_TOKEN: TOKEN });
  const file = join(home, 'config/deskside/deskside.toml');
  mkdirSync(join(file, '..'), { recursive: true });
  const command = (display: string, args: readonly string[]) => ({
    command: process.execPath,
    args: [BIN, ...args],
    env: { ...env, DISPLAY: display },
  });
  return { home, person, agent, agents: DISPLAY, file, command };
}

test.skipIf(missingPackages.length > 0)(
  `a command asks where the person is logged in, whatever its DISPLAY says, also before a stop of the desk${needs}`,
  async () => {
    const { person, agent, agents, file, command } = await openScene();
    writeFileSync(file, 'approvals = "off"\n');
    for (const display of ['', agents]) {
      await using stopping = startProgram(command(display, ['stop']));
      await stopping.exited;
      await using applying = startProgram(command(display, ['apply', '--yes']));
      await applying.printed(/Answer in the window/);
      expect(agent.popup()).toBeUndefined();
      await person.dismiss();
      expect(await applying.exited).toBe(1);
      expect(applying.stdout()).toContain('Nothing was applied.');
    }
  },
);

test.skipIf(missingPackages.length > 0)(
  `an approval opens where the person is logged in, not on the display of the agent that started the desk${needs}`,
  async () => {
    const { home, person, agent, agents, command } = await openScene();
    const folder = join(home, 'work');
    mkdirSync(folder);
    const server = ['files', '--isolation', 'shared', '--yes', '--', process.execPath, FILES, folder];
    await using adding = startProgram(command(agents, ['add', ...server]));
    expect(await adding.exited).toBe(0);
    await using serving = startProgram(command(agents, ['http', '--port', '0', '--log-level', 'debug']));
    const [, url = ''] = await serving.printed(/(http:\S+\/mcp)/);
    await using client = await connectHttp(url, { era: 'legacy', token: TOKEN });
    const path = join(folder, 'orders.txt');
    const writing = client.callTool('files_write_file', { path, content: 'nothing' });
    await serving.printed(/popup accepts keys/);
    await person.popupHasKeyboard();
    expect(agent.popup()).toBeUndefined();
    person.type('use staging');
    person.key('Return');
    expect(JSON.parse(firstText(await writing))).toMatchObject({ code: 'DENIED', reason: 'use staging' });
    // The record says where the person was asked.
    await using logging = startProgram(command(agents, ['log', '--kind', 'approval']));
    expect(await logging.exited).toBe(0);
    expect(logging.stdout()).toContain(`(asked on ${person.env['DISPLAY']})`);
  },
);
