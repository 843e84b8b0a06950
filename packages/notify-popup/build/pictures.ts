import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { launch } from '@deskside/testkit/chromium';
import type { Desktop } from '../src/testing/desktop.ts';
import { type PictureScreen, takePictures } from '../src/testing/picture.ts';
import { connectPopup, type PopupClient } from '../src/testing/session.ts';

// Takes the pictures of README and docs: `pnpm pictures`. The real server shows its window in Chromium on a virtual screen.

const HOUR_MS = 3_600_000;
/** Of a time zone in which ten o'clock is past. */
const EAST_HOURS = new Date().getUTCHours() < 11 ? 12 : 0;
const TZ = `Etc/GMT-${EAST_HOURS}`;

const EARLIER = [
  ['Which branch should I release?', 'main'],
  ['The changelog has **12 entries**. Shall I shorten it?', 'No, all of them matter to someone'],
] as const;

const QUESTION = `Version \`2.1.0\` is ready: **214 tests** are green, the notes are at https://example.com/notes/2.1.

How shall I release it?

1. To everyone now
2. To 5 % first
3. Tomorrow at 9:00`;

const WAITING = [
  ['Codex', 'billing', 'May I delete the branch "old-invoices"?'],
  ['Cursor', 'website', 'Which of the two pictures do you prefer for the front page?'],
] as const;

const to = await takePictures('pictures', { width: 1000, height: 1200 }, picturesOfTheme);
await takeIcon();

/** The directory of plugins accepts no SVG. */
async function takeIcon(): Promise<void> {
  await using browser = await launch();
  const tab = await browser.newPage({ viewport: { width: 32, height: 32 }, deviceScaleFactor: 16 });
  await tab.goto(pathToFileURL(join(import.meta.dirname, '../src/page/assets/icon.svg')).href);
  const plugin = join(import.meta.dirname, '../../../plugins/deskside/.claude-plugin');
  await tab.screenshot({ path: join(to ?? plugin, 'icon.png'), omitBackground: true });
}

async function picturesOfTheme({ desktop, home, theme, scale, take }: PictureScreen): Promise<void> {
  const env = (project: string) => ({
    ...desktop.env,
    TZ,
    CLAUDE_PROJECT_DIR: join('/home/anna', project),
  });
  await using client = await connectPopup(env('web-shop'), [], 'Claude Code');
  for (const [message, reply] of EARLIER) {
    const { answer } = await ask(client, desktop, { message, theme });
    desktop.type(reply);
    desktop.key('Return');
    await answer;
  }

  // A text that is not sent.
  const unsent = await ask(client, desktop, { message: 'Shall I write to the customers?', theme });
  desktop.type('Not yet. Wait until Maria has read it');
  desktop.key('Escape');
  await unsent.answer;
  savedAtTen(join(home, 'state/deskside/popup-drafts'));
  const offered = await ask(client, desktop, { message: 'Whom shall I write to?', theme });
  await take('popup-draft');
  desktop.key('Escape');
  await offered.answer;

  const asking = await ask(client, desktop, { message: QUESTION, theme, title: 'Release' });
  const others: PopupClient[] = [];
  for (const [name, project, message] of WAITING) {
    const since = client.now();
    const other = await connectPopup(env(project), [], name);
    others.push(other);
    other.notify({ message }).catch(() => undefined);
    await client.logged('popup queue changed', since);
  }
  // The digit selects a quick reply.
  desktop.type('2, and tell me the error rate');
  await take('popup-question');
  desktop.click(-60 * scale, 32 * scale);
  await take('popup-waiting');
  for (const other of others) await other[Symbol.asyncDispose]();
  desktop.key('Escape', 'Escape');
  await asking.answer;
}

/** The time of an unsent text is in the picture. */
function savedAtTen(drafts: string): void {
  const [today] = new Date(Date.now() + EAST_HOURS * HOUR_MS).toISOString().split('T');
  const savedAt = new Date(Date.parse(`${today}T10:00Z`) - EAST_HOURS * HOUR_MS);
  for (const name of readdirSync(drafts)) {
    const file = join(drafts, name);
    writeFileSync(file, JSON.stringify({ ...JSON.parse(readFileSync(file, 'utf8')), savedAt }));
  }
}

async function ask(client: PopupClient, desktop: Desktop, args: Record<string, unknown>) {
  const since = client.now();
  const answer = client.notify(args);
  answer.catch(() => undefined);
  await client.logged('popup accepts keys', since);
  await desktop.popupHasKeyboard();
  return { answer };
}
