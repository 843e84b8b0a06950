import { globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { firstText, type Peer, type Program } from '@deskside/testkit';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Desktop, missingPackages, needs, openDesktop, waitFor } from './testing/desktop.ts';
import { connectPopup, type PopupClient } from './testing/session.ts';
import { sharedServer } from './testing/shared-server.ts';

const ACCEPTS_KEYS = '"message":"popup accepts keys"';

describe.skipIf(missingPackages.length > 0 || !process.env['DESKSIDE_PROOF'])(
  `a day with several agents${needs}`,
  () => {
    let home: string;
    let desktop: Desktop;
    /** One server over HTTP for two agents, and one over stdio. */
    let shared: Program;
    let agents: readonly [Peer, Peer];
    let own: PopupClient;
    beforeAll(async () => {
      home = mkdtempSync(join(tmpdir(), 'popup-'));
      desktop = await openDesktop(home);
      const { server, connect } = await sharedServer(desktop.env);
      shared = server;
      agents = [await connect(), await connect()];
      own = await connectPopup(desktop.env);
    });
    afterAll(async () => {
      await Promise.all([...agents, own, shared].map((each) => each[Symbol.asyncDispose]()));
      await desktop[Symbol.asyncDispose]();
      rmSync(home, { recursive: true, force: true });
    });

    /** Windows that have accepted keys so far, in all servers. */
    const accepting = () => [shared.stderr(), own.log()].join('').split(ACCEPTS_KEYS).length - 1;

    /** Waits until one of these popups accepts keys. @returns its title */
    async function nextPopup(titles: ReadonlySet<string>, before: number): Promise<string> {
      const title = () => desktop.popup()?.title.split(' - ')[0] ?? '';
      await waitFor(() => titles.has(title()) && accepting() > before, `one of ${[...titles].join(', ')}`);
      await desktop.popupHasKeyboard();
      return title();
    }

    test('three agents ask within a second, and each gets its own answer', async () => {
      const [first, second] = agents;
      const answers = new Map([
        ['one', ask(first, 'one')],
        ['two', ask(second, 'two')],
        ['three', own.notify({ message: 'Question three?', title: 'three' })],
      ]);
      for (const open = new Set(answers.keys()); open.size > 0;) {
        const before = 3 - open.size;
        const title = await nextPopup(open, before);
        open.delete(title);
        desktop.type(`for ${title}`);
        desktop.key('Return');
        expect(await answers.get(title)).toBe(`User response: for ${title}`);
      }
    });

    test('the news of a fourth agent waits for the question of another, and is seen after it', async () => {
      const before = accepting();
      const question = ask(agents[0], 'question');
      await nextPopup(new Set(['question']), before);
      await using fourth = await connectPopup(desktop.env);
      const news = fourth.call({ message: 'Done!', title: 'news', wait_for_response: false });
      await fourth.logged('popup waits', 0);
      desktop.key('Escape');
      expect(await question).toBe('User cancelled the popup');
      expect(firstText(await news)).toBe('✓ Message displayed successfully');
      await waitFor(() => desktop.popup()?.title.startsWith('news') === true, 'the news is on the screen');
      // A question needs the screen: the news makes room, although its own agent is another one.
      const next = ask(agents[1], 'next');
      await nextPopup(new Set(['next']), before + 1);
      const since = fourth.now();
      desktop.key('Escape');
      expect(await next).toBe('User cancelled the popup');
      // No one has read the news: it comes back.
      await fourth.logged('popup shown', since);
      await desktop.dismiss();
      await fourth.logged('popup closed', since);
    });

    test('nothing that was typed is lost when a call is cancelled and when its server is killed', async () => {
      let before = accepting();
      const since = own.now();
      const stop = new AbortController();
      own.notify({ message: 'Why?', title: 'cancelled' }, { signal: stop.signal }).catch(() => undefined);
      await nextPopup(new Set(['cancelled']), before);
      desktop.type('because');
      await own.logged('draft changed', since);
      stop.abort();
      await own.logged('caller gone, popup stays open', since);
      desktop.key('Escape');
      await own.logged('popup closed', since);

      before = accepting();
      own.notify({ message: 'How?', title: 'killed' }).catch(() => undefined);
      await nextPopup(new Set(['killed']), before);
      desktop.type('slowly');
      await waitFor(() => draftsIn(home).includes('slowly'), 'the draft is stored');
      process.kill(own.pid, 'SIGKILL');
      expect(draftsIn(home)).toStrictEqual(['because', 'slowly']);

      own = await connectPopup(desktop.env);
      before = accepting();
      const next = own.notify({ message: 'And now?', title: 'restarted' });
      await nextPopup(new Set(['restarted']), before);
      desktop.type('all is well');
      desktop.key('Return');
      expect(await next).toBe('User response: all is well');
      expect(draftsIn(home)).toStrictEqual(['because', 'slowly']);
    });
  },
);

async function ask(agent: Peer, title: string): Promise<string> {
  return firstText(await agent.callTool('notify', { message: `Question ${title}?`, title }));
}

/** The texts that were typed and not sent. */
function draftsIn(home: string): string[] {
  return globSync('**/popup-drafts/*.json', { cwd: home })
    .map((file) => String(JSON.parse(readFileSync(join(home, file), 'utf8')).text))
    .toSorted();
}
