import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { firstText, type Peer, type Program } from '@deskside/testkit';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Desktop, missingPackages, needs, openDesktop, waitFor } from './testing/desktop.ts';
import { browserProcesses } from './testing/session.ts';
import { sharedServer } from './testing/shared-server.ts';

describe.skipIf(missingPackages.length > 0)(`several agents of one person${needs}`, () => {
  let home: string;
  let desktop: Desktop;
  let server: Program;
  let agents: readonly Peer[];
  beforeAll(async () => {
    home = mkdtempSync(join(tmpdir(), 'popup-'));
    desktop = await openDesktop(home);
    const shared = await sharedServer(desktop.env);
    server = shared.server;
    agents = await Promise.all(Array.from({ length: 4 }, shared.connect));
  });
  afterAll(async () => {
    await Promise.all([...agents, server].map((each) => each[Symbol.asyncDispose]()));
    await desktop[Symbol.asyncDispose]();
    rmSync(home, { recursive: true, force: true });
  });

  const log = () => server.stderr();
  const count = (message: string) => log().split(`"message":"${message}"`).length - 1;
  const title = () => desktop.popup()?.title.split(' - ')[0];
  /** Waits until the popup with this title accepts keys. */
  async function accepts(name: string, before: number): Promise<void> {
    await waitFor(() => count('popup accepts keys') > before && title() === name, `${name} accepts keys`);
  }

  test('four agents ask, and one window shows their questions one after the other, each with its own guard', async () => {
    const names = ['one', 'two', 'three', 'four'];
    const answers = names.map(async (name, index) => {
      const agent = agents[index];
      if (agent === undefined) return '';
      if (index > 0) await waitFor(() => count('popup queue changed') >= index, `${index} wait`);
      return firstText(await agent.callTool('notify', { message: `Question ${name}?`, title: name }));
    });
    await accepts('one', 0);
    await waitFor(() => count('popup queue changed') >= 3, 'three wait');
    const windows = new Set<string | undefined>();
    const browsers = new Set<string>();
    for (const [index, name] of names.entries()) {
      if (index > 0) await accepts(name, index);
      windows.add(desktop.popup()?.id);
      browsers.add(String(Math.min(...browserProcesses(home))));
      await desktop.popupHasKeyboard();
      desktop.type(`for ${name}`);
      // The second Enter is for no question: the guard of the next one has begun.
      desktop.key('Return', 'Return');
      expect(await answers[index]).toBe(`User response: for ${name}`);
    }
    expect([windows.size, browsers.size]).toStrictEqual([1, 1]);
    await waitFor(() => browserProcesses(home).length === 0, 'the window closes when none waits');
  });
});
