import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { connectInProcess, firstText, type Peer, temporaryFolder } from '@deskside/testkit';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { picture } from '../testing/generated-screenshots.ts';
import type { ManicTimeOptions } from '../options.ts';
import { manictimeServer } from '../server.ts';
import { openTestManicTime } from '../testing/test-server.ts';
import { folderOfRoot } from './saving.ts';

let image: Uint8Array;
beforeAll(async () => {
  image = await picture(400, 200);
});

interface Leg {
  readonly era: 'legacy' | 'modern';
  readonly over: 'stdio' | 'http';
  /** Undefined: the client does not support roots. */
  readonly roots?: readonly string[] | 'fails';
}

async function connected({ roots, ...leg }: Leg, options: ManicTimeOptions = {}) {
  const dataDir = temporaryFolder();
  const shots = join(dataDir, 'Screenshots', '2025-01-15');
  mkdirSync(shots, { recursive: true });
  for (const second of ['00', '30']) {
    writeFileSync(
      join(shots, `2025-01-15_08-30-${second}_01-00_400_200_7_0.jpg`),
      second === '00' ? image : image.toReversed(),
    );
  }
  const manictime = openTestManicTime({ dataDir, ...options });
  const capabilities = roots === undefined ? {} : { roots: {} };
  const peer = await connectInProcess(manictimeServer(manictime), { ...leg, capabilities });
  if (roots !== undefined) answerRoots(peer, roots);
  onTestFinished(async () => {
    await peer[Symbol.asyncDispose]();
    await manictime[Symbol.asyncDispose]();
  });
  const range = { startDate: '2025-01-15', endDate: '2025-01-16' };
  const { screenshots } = JSON.parse(firstText(await peer.callTool('list_screenshots', range)));
  const [screenshotRef, broken] = screenshots.map((shot: { screenshotRef: string }) => shot.screenshotRef);
  return {
    broken,
    dataDir,
    save: async (args: Record<string, unknown> = {}) =>
      JSON.parse(firstText(await peer.callTool('save_screenshot', { screenshotRef, ...args }))),
  };
}

function answerRoots({ client }: Peer, uris: readonly string[] | 'fails'): void {
  const answer = () => {
    if (uris === 'fails') throw new Error('no roots here');
    return { roots: uris.map((uri) => ({ uri })) };
  };
  if ('discover' in client) client.setRequestHandler('roots/list', answer);
  else client.fallbackRequestHandler = async () => answer();
}

const uriOf = (folder: string) => pathToFileURL(folder).href;

/** A client with one root. */
async function withRoot(root = temporaryFolder()) {
  return { root, ...(await connected({ era: 'modern', over: 'stdio', roots: [uriOf(root)] })) };
}

describe.each(['legacy', 'modern'] as const)('in the %s era', (era) => {
  test.skipIf(era === 'modern')(
    'if the client does not answer with its roots, the error says so',
    async () => {
      const saveDir = temporaryFolder();
      const { save } = await connected({ era, over: 'stdio', roots: 'fails' });
      expect(await save()).toMatchObject({
        code: 'NO_ROOTS',
        error: expect.stringContaining('names no folder'),
      });
      const configured = await connected({ era, over: 'stdio', roots: 'fails' }, { saveDir });
      expect(await configured.save({ outputPath: 'x' })).toMatchObject({ path: join(saveDir, 'x.jpg') });
    },
  );

  const leg = (...roots: readonly string[]): Leg => ({ era, over: 'stdio', roots: roots.map(uriOf) });

  test(`save_screenshot (${era}) saves to the first root under the time of the screenshot, and again to the same path`, async () => {
    const root = temporaryFolder();
    // Roots that are no files are ignored.
    const roots = ['vscode-vfs://github/a/b', uriOf(root)];
    const { save } = await connected({ era, over: 'stdio', roots });
    const path = join(root, 'screenshot-2025-01-15-083000.jpg');
    expect(await save()).toEqual({ path, size: image.length });
    expect(readFileSync(path)).toEqual(Buffer.from(image));
    expect(await save()).toEqual({ path, size: image.length });
    expect(readdirSync(root)).toEqual(['screenshot-2025-01-15-083000.jpg']);
  });

  test(`save_screenshot (${era}) creates the folder for a region and appends .jpg`, async () => {
    const root = temporaryFolder();
    const { save } = await connected(leg(root));
    const region = { cropX: 0, cropY: 0, cropWidth: 50, cropHeight: 50 };
    const { path, size } = await save({ outputPath: 'assets/deep/part', ...region });
    expect(path).toBe(join(root, 'assets', 'deep', 'part.jpg'));
    expect(readFileSync(path)).toHaveLength(size);
    const png = await save({ outputPath: 'assets/part.PNG', ...region });
    expect(readFileSync(png.path).subarray(1, 4).toString()).toBe('PNG');
  });

  test(`save_screenshot (${era}) explains what to do if the client has no roots`, async () => {
    const { save } = await connected({ era, over: 'stdio' });
    expect(await save()).toMatchObject({
      code: 'ROOTS_UNSUPPORTED',
      hint: expect.stringContaining('MANICTIME_SAVE_DIR'),
    });
    const empty = await connected(leg());
    expect(await empty.save()).toMatchObject({ code: 'NO_ROOTS' });
    const elsewhere = await connected({ era, over: 'stdio', roots: ['file://another-machine/share'] });
    expect(await elsewhere.save()).toMatchObject({ code: 'NO_ROOTS' });
  });

  test(`save_screenshot (${era}) over HTTP ignores roots and uses the configured folder`, async () => {
    const root = temporaryFolder();
    const saveDir = temporaryFolder();
    const http: Leg = { era, over: 'http', roots: [uriOf(root)] };
    expect(await (await connected(http)).save()).toMatchObject({ code: 'NO_ROOTS' });
    const { save } = await connected(http, { saveDir });
    expect((await save()).path).toBe(join(saveDir, 'screenshot-2025-01-15-083000.jpg'));
    expect(readdirSync(root)).toEqual([]);
  });
});

describe('save_screenshot writes nothing outside the roots', () => {
  test.each([
    '../out.jpg',
    'a/../../out.jpg',
    '/etc/out.jpg',
    String.raw`C:\out.jpg`,
    '..',
    '.',
    'a:stream.jpg',
    'x\0.jpg',
    '   ',
  ])('save_screenshot rejects the outputPath %j', async (outputPath) => {
    const parent = temporaryFolder();
    const root = join(parent, 'root');
    mkdirSync(root);
    const { save } = await withRoot(root);
    const answer = await save({ outputPath });
    if ('path' in answer) expect(answer.path.startsWith(`${root}/`)).toBe(true);
    else expect(answer.code).toMatch(/^(PATH_OUTSIDE_ROOTS|INVALID_ARGUMENT|UNSUPPORTED_EXTENSION)$/);
    expect(readdirSync(parent)).toEqual(['root']);
  });

  test.each([
    ['assets/', 'assets/screenshot-2025-01-15-083000.jpg'],
    ['./', 'screenshot-2025-01-15-083000.jpg'],
    ['.', 'screenshot-2025-01-15-083000.jpg'],
    ['shot-09.30', 'shot-09.30.jpg'],
    ['a.b/shot', 'a.b/shot.jpg'],
    ['shot.', 'shot..jpg'],
    ['shot ', 'shot.jpg'],
    ['shot.png\n', 'shot.png'],
    [' assets/shot.jpg ', 'assets/shot.jpg'],
  ])('save_screenshot with the outputPath %j writes %s', async (outputPath, path) => {
    const { root, save } = await withRoot();
    expect(await save({ outputPath })).toMatchObject({ path: join(root, path) });
  });

  test.each(['.jpg', 'assets/.PNG'])('save_screenshot refuses the hidden file %j', async (outputPath) => {
    const { root, save } = await withRoot();
    expect(await save({ outputPath })).toMatchObject({ code: 'INVALID_ARGUMENT' });
    expect(readdirSync(root)).toEqual([]);
  });

  test('save_screenshot rejects a link out of the root and a sibling folder with the same prefix', async () => {
    const parent = temporaryFolder();
    const root = join(parent, 'root');
    mkdirSync(root);
    mkdirSync(join(parent, 'root2'));
    mkdirSync(join(parent, 'outside'));
    symlinkSync(join(parent, 'outside'), join(root, 'link'));
    const { save } = await withRoot(root);
    for (const outputPath of [
      'link/a.jpg',
      'link/deep/a.jpg',
      '../root2/a.jpg',
      join(parent, 'root2', 'a.jpg'),
    ]) {
      expect(await save({ outputPath })).toMatchObject({ code: 'PATH_OUTSIDE_ROOTS' });
    }
    expect(readdirSync(join(parent, 'outside'))).toEqual([]);
    expect(readdirSync(join(parent, 'root2'))).toEqual([]);
  });

  test('save_screenshot accepts a path outside the first root if it is inside the second', async () => {
    const [first, second] = [temporaryFolder(), temporaryFolder()];
    const { save } = await connected({ era: 'modern', over: 'stdio', roots: [uriOf(first), uriOf(second)] });
    expect(await save({ outputPath: join(second, 'a.jpg') })).toMatchObject({ path: join(second, 'a.jpg') });
  });
});

test('save_screenshot never replaces a file, numbers a default name, and knows what it saved', async () => {
  const { root, save } = await withRoot();
  writeFileSync(join(root, 'mine.jpg'), 'mine');
  symlinkSync('nowhere', join(root, 'link.jpg'));
  for (const outputPath of ['mine.jpg', 'link.jpg'])
    expect(await save({ outputPath })).toMatchObject({ code: 'FILE_EXISTS' });
  expect(readFileSync(join(root, 'mine.jpg'), 'utf8')).toBe('mine');
  writeFileSync(join(root, 'screenshot-2025-01-15-083000.jpg'), 'mine');
  expect((await save()).path).toBe(join(root, 'screenshot-2025-01-15-083000-2.jpg'));
  const region = { cropX: 0, cropY: 0, cropWidth: 50, cropHeight: 50 };
  const own = await save({ outputPath: 'own.jpg' });
  expect(await save({ outputPath: 'own.jpg' })).toEqual(own);
  expect(await save({ outputPath: 'own.jpg', ...region })).toMatchObject({ code: 'FILE_EXISTS' });
  expect(readFileSync(own.path)).toEqual(Buffer.from(image));
  expect(readdirSync(root)).toHaveLength(5);
});

test('save_screenshot has separate errors for an incomplete region, an extension and a damaged image', async () => {
  const { root, save, broken } = await withRoot();
  expect(await save({ cropX: 1, cropY: 1 })).toMatchObject({ code: 'PARTIAL_CROP' });
  expect(await save({ outputPath: 'a.gif' })).toMatchObject({ code: 'UNSUPPORTED_EXTENSION' });
  expect(await save({ outputPath: 'a.jpg.exe' })).toMatchObject({ code: 'UNSUPPORTED_EXTENSION' });
  expect(await save({ screenshotRef: broken, outputPath: 'a.png' })).toMatchObject({
    code: 'IMAGE_UNREADABLE',
  });
  expect(await save({ screenshotRef: 'forged' })).toMatchObject({ code: 'NOT_FOUND' });
  expect(readdirSync(root)).toEqual([]);
});

test('save_screenshot rejects Windows device names and reports folders that it cannot create', async () => {
  const { root, save } = await withRoot();
  for (const outputPath of ['NUL.jpg', 'nul', 'a/COM1.png', String.raw`a\lpt9.x.jpg`])
    expect(await save({ outputPath }), outputPath).toMatchObject({ code: 'INVALID_ARGUMENT' });
  writeFileSync(join(root, 'file'), 'mine');
  for (const outputPath of ['file/in-it.jpg', `${'deep/'.repeat(1000)}a.jpg`])
    expect(await save({ outputPath })).toMatchObject({ code: 'WRITE_FAILED' });
  const longest = `${'a'.repeat(251)}.jpg`;
  expect(await save({ outputPath: longest })).toMatchObject({ path: join(root, longest) });
  expect(await save({ outputPath: 'console.jpg' })).toMatchObject({ path: join(root, 'console.jpg') });
});

test('save_screenshot does not read a screenshot that links out of its folder', async () => {
  const { dataDir, save } = await withRoot();
  const secret = join(temporaryFolder(), 'secret.jpg');
  writeFileSync(secret, image);
  const shots = join(dataDir, 'Screenshots', '2025-01-15');
  const name = '2025-01-15_08-30-00_01-00_400_200_7_0.jpg';
  rmSync(join(shots, name));
  symlinkSync(secret, join(shots, name));
  expect(await save()).toMatchObject({ code: 'NOT_FOUND' });
  const neighbour = join(dataDir, 'Screenshots2');
  mkdirSync(neighbour);
  writeFileSync(join(neighbour, name), image);
  rmSync(join(shots, name));
  symlinkSync(join(neighbour, name), join(shots, name));
  expect(await save()).toMatchObject({ code: 'NOT_FOUND' });
  expect(existsSync(secret)).toBe(true);
});

test.each([
  ['file:///C:/src/x', String.raw`C:\src\x`],
  ['FILE:///c:/src/x/', String.raw`c:\src\x` + '\\'],
  ['file:///c%3A/src/x', String.raw`c:\src\x`],
  [String.raw`file://C:\src\x`, String.raw`C:\src\x`],
  ['file://C:/src/x', String.raw`C:\src\x`],
  [String.raw`file://C:\src\..\other`, String.raw`C:\other`],
  ['file:///C:/my%20work/%C3%A4', String.raw`C:\my work\ä`],
  [String.raw`file://C:\my%20work`, String.raw`C:\my work`],
  [String.raw`file://C:\C#\100% sure?`, String.raw`C:\C#\100% sure?`],
  ['file:///C:/', 'C:\\'],
  ['file://server/share/x', String.raw`\\server\share\x`],
  ['file://localhost/C:/src', String.raw`C:\src`],
  ['file:///home/me', undefined],
  ['file://C:', undefined],
  ['file:///C:relative', undefined],
  [String.raw`C:\src`, undefined],
  ['', undefined],
])('folderOfRoot on Windows maps %s to %s', (uri, folder) => {
  expect(folderOfRoot(uri, true)).toBe(folder);
});

test.each([
  ['file:///home/me/project', '/home/me/project'],
  ['file:///home/me/my%20work', '/home/me/my work'],
  ['file:///home/me/../you', '/home/you'],
  [String.raw`file:///home/a\b`, '/home/a/b'],
  ['file:///C:/src', undefined],
  ['file://server/share', undefined],
  ['https://example.com/home', undefined],
  ['not a uri', undefined],
  ['', undefined],
])('folderOfRoot on other systems maps %s to %s', (uri, folder) => {
  expect(folderOfRoot(uri, false)).toBe(folder);
});

test('save_screenshot says that the configured folder does not exist', async () => {
  const saveDir = join(temporaryFolder(), 'missing');
  const { save } = await connected({ era: 'modern', over: 'http' }, { saveDir });
  expect(await save()).toMatchObject({
    code: 'NO_ROOTS',
    hint: expect.stringContaining('MANICTIME_SAVE_DIR'),
  });
});
