import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { crc32, deflateSync } from 'node:zlib';
import { type Desktop, missingPackages, openDesktop, waitFor } from '../src/testing/desktop.ts';
import { connectPopup, type PopupClient } from '../src/testing/session.ts';

// Takes the pictures of README and docs: `pnpm pictures [--dpi 96] [--to FOLDER]`. The real server shows its window in
// Chromium on a virtual screen. Needs the Debian packages of the tests on a real screen.
const { values } = parseArgs({ options: { dpi: { type: 'string' }, to: { type: 'string' } } });
const folder = values.to ?? join(import.meta.dirname, '../../../docs/pictures');
const dpi = Number(values.dpi ?? '144');

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

if (missingPackages.length > 0)
  throw new Error(`Install these packages first: ${missingPackages.join(', ')}`);
mkdirSync(folder, { recursive: true });
for (const theme of ['light', 'dark'] as const) await takePictures(theme);

async function takePictures(theme: 'light' | 'dark'): Promise<void> {
  const home = mkdtempSync(join(tmpdir(), 'pictures-'));
  const scale = dpi / 96;
  const screen = `${1000 * scale}x${800 * scale}`;
  await using desktop = await openDesktop(home, { screen, framebuffer: ['-fbdir', home] });
  desktop.run(
    'xprop',
    '-root',
    '-f',
    'RESOURCE_MANAGER',
    '8s',
    '-set',
    'RESOURCE_MANAGER',
    `Xft.dpi: ${dpi}\n`,
  );
  const env = (project: string) => ({ ...desktop.env, CLAUDE_PROJECT_DIR: join('/home/anna', project) });
  await using client = await connectPopup(env('web-shop'), [], 'Claude Code');
  const take = (name: string) => {
    // The pointer would be in the picture.
    desktop.run('xdotool', 'mousemove', '2', '2');
    return takePicture(desktop, home, join(folder, `popup-${name}-${theme}.png`));
  };

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
  const offered = await ask(client, desktop, { message: 'Whom shall I write to?', theme });
  await take('draft');
  desktop.key('Escape');
  await offered.answer;

  const asking = await ask(client, desktop, { message: QUESTION, theme, timeout: 120, title: 'Release' });
  const others: PopupClient[] = [];
  for (const [name, project, message] of WAITING) {
    const since = client.now();
    const other = await connectPopup(env(project), [], name);
    others.push(other);
    other.notify({ message }).catch(() => undefined);
    await client.logged('popup queue changed', since);
  }
  await take('question');
  desktop.click(-118 * scale, 32 * scale);
  await take('waiting');
  for (const other of others) await other[Symbol.asyncDispose]();
  desktop.key('Escape', 'Escape');
  await asking.answer;
  rmSync(home, { recursive: true, force: true });
}

async function ask(client: PopupClient, desktop: Desktop, args: Record<string, unknown>) {
  const since = client.now();
  const answer = client.notify(args);
  answer.catch(() => undefined);
  await client.logged('popup accepts keys', since);
  await desktop.popupHasKeyboard();
  return { answer };
}

/** Waits until the window no longer changes, and writes it as PNG. */
async function takePicture(desktop: Desktop, home: string, path: string): Promise<void> {
  let last = Buffer.alloc(0);
  let width = 0;
  let repeated = 0;
  await waitFor(() => {
    const window = desktop.popup();
    if (window === undefined) return false;
    const pixels = readPixels(readFileSync(join(home, 'Xvfb_screen0')), window);
    repeated = pixels.equals(last) ? repeated + 1 : 0;
    last = pixels;
    ({ width } = window);
    return repeated === 2;
  }, 'the window stands still');
  writeFileSync(path, encodePng(last, width));
}

/** RGB of a part of the screen, from a file in X Window Dump format. */
function readPixels(dump: Buffer, { x, y, width, height }: Area): Buffer<ArrayBuffer> {
  const headerBytes = dump.readUInt32BE(0);
  const bytesPerLine = dump.readUInt32BE(48);
  const colors = dump.readUInt32BE(76);
  const start = headerBytes + colors * 12;
  const pixels = Buffer.alloc(width * height * 3);
  for (let row = 0; row < height; row += 1) {
    for (let column = 0; column < width; column += 1) {
      const from = start + (y + row) * bytesPerLine + (x + column) * 4;
      const to = (row * width + column) * 3;
      // Little-endian: blue, green, red.
      for (const channel of [0, 1, 2]) pixels[to + channel] = dump[from + 2 - channel] ?? 0;
    }
  }
  return pixels;
}

interface Area {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

function encodePng(rgb: Buffer, width: number): Buffer {
  const height = rgb.length / 3 / width;
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  // 8 bits per channel, RGB.
  header.set([8, 2], 8);
  // Each line begins with its filter: 0, none.
  const lines = Array.from({ length: height }, (_, row) => [
    Buffer.from([0]),
    rgb.subarray(row * width * 3, (row + 1) * width * 3),
  ]);
  return Buffer.concat([
    Buffer.from('89504e470d0a1a0a', 'hex'),
    chunk('IHDR', header),
    chunk('IDAT', deflateSync(Buffer.concat(lines.flat()), { level: 9 })),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

function chunk(type: string, data: Buffer): Buffer {
  const content = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(data.length);
  const check = Buffer.alloc(4);
  check.writeUInt32BE(crc32(content));
  return Buffer.concat([length, content, check]);
}
