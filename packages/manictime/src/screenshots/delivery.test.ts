import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseWallTime } from '@deskside/core/dates';
import { connectInProcess, temporaryFolder } from '@deskside/testkit';
import sharp from 'sharp';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { manictimeServer } from '../server.ts';
import { openTestManicTime, openTestServer } from '../testing/test-server.ts';
import { jpegSize } from './images/codec.ts';
import { referenceOf } from './shot.ts';

const WIDTH = 2000;
const HEIGHT = 1500;
const MEGABYTE = 1_000_000;
const BOTH = { audience: ['user', 'assistant'] };
const PERSON = { audience: ['user'] };
const WHOLE = { x: 0, y: 0, width: 100, height: 100 };

let plain: Buffer;
/** Too large for an answer. */
let large: Buffer;
/** Too large even when scaled for models. */
let noise: Buffer;
let thumbnail: Buffer;
let png: Buffer;
beforeAll(async () => {
  const size = { width: WIDTH, height: HEIGHT, channels: 3 as const, background: 'teal' };
  const withNoise = (sigma: number) =>
    sharp({ create: { ...size, noise: { type: 'gaussian', mean: 128, sigma } } })
      .jpeg()
      .toBuffer();
  plain = await sharp({ create: size }).jpeg().toBuffer();
  large = await withNoise(20);
  noise = await withNoise(60);
  thumbnail = await sharp(plain).resize(320).jpeg().toBuffer();
  png = await sharp(thumbnail).png().toBuffer();
});

interface ShotFiles {
  readonly full?: Buffer;
  readonly thumbnail?: Buffer;
}

/** Writes the files of one screenshot. @returns the data folder */
function writeShot(files: ShotFiles): string {
  const dataDir = join(temporaryFolder(), 'Zeit Übung #1 %41 日本');
  const folder = join(dataDir, 'Screenshots', '2025-01-15');
  mkdirSync(folder, { recursive: true });
  const name = join(folder, `2025-01-15_08-30-00_01-00_${WIDTH}_${HEIGHT}_7_0`);
  if (files.full !== undefined) writeFileSync(`${name}.jpg`, files.full);
  if (files.thumbnail !== undefined) writeFileSync(`${name}.thumbnail.jpg`, files.thumbnail);
  return dataDir;
}

const REFERENCE = referenceOf({
  local: parseWallTime('2025-01-15 08:30:00') ?? 0,
  offset: 60,
  width: WIDTH,
  height: HEIGHT,
  sequence: 7,
  monitor: 0,
});

/** A server with one screenshot. */
async function served(files: ShotFiles) {
  const dataDir = writeShot(files);
  const manictime = openTestManicTime({ dataDir });
  const peer = await connectInProcess(manictimeServer(manictime), { era: 'modern', over: 'stdio' });
  onTestFinished(async () => {
    await peer[Symbol.asyncDispose]();
    await manictime[Symbol.asyncDispose]();
  });
  const call = async (tool: string, args = {}) => {
    const { content } = await peer.callTool(tool, { screenshotRef: REFERENCE, ...args });
    expect(JSON.stringify(content).length).toBeLessThan(MEGABYTE);
    const about = content.at(-1);
    return {
      images: content.slice(0, -1),
      about: JSON.parse(about !== undefined && 'text' in about ? about.text : ''),
    };
  };
  return { peer, call };
}

const image = (bytes: Buffer, annotations: object) =>
  expect.objectContaining({ type: 'image', data: bytes.toString('base64'), annotations });

function sizeOf(block: unknown) {
  if (typeof block !== 'object' || block === null || !('data' in block)) throw new Error('no image');
  return jpegSize(Buffer.from(String(block.data), 'base64'));
}

describe('get_screenshot', () => {
  test('get_screenshot returns the thumbnail for both and the full image for the person', async () => {
    const { call } = await served({ full: plain, thumbnail });
    expect(await call('get_screenshot')).toMatchObject({
      images: [image(thumbnail, BOTH), image(plain, PERSON)],
      about: { isThumbnail: true, width: WIDTH, height: HEIGHT },
    });
  });

  test('get_screenshot returns a single file for both audiences', async () => {
    const full = await served({ full: plain });
    expect(await full.call('get_screenshot')).toMatchObject({
      images: [image(plain, BOTH)],
      about: { isThumbnail: false },
    });
    const small = await served({ thumbnail });
    expect(await small.call('get_screenshot')).toMatchObject({
      images: [image(thumbnail, BOTH)],
      about: { isThumbnail: true },
    });
  });

  test('get_screenshot links an image that is too large for an answer, and the link returns the full image', async () => {
    const { call, peer } = await served({ full: large, thumbnail });
    const { images } = await call('get_screenshot');
    expect(images).toMatchObject([
      image(thumbnail, BOTH),
      { type: 'resource_link', mimeType: 'image/jpeg', annotations: PERSON },
    ]);
    const [, link] = images;
    const { contents } = await peer.readResource(link !== undefined && 'uri' in link ? link.uri : '');
    expect(contents[0]).toMatchObject({ blob: large.toString('base64') });
  });

  test('get_screenshot scales down a large image without a thumbnail for the model', async () => {
    const { call } = await served({ full: large });
    const { images, about } = await call('get_screenshot');
    expect(images).toMatchObject([{ type: 'image', annotations: BOTH }, { type: 'resource_link' }]);
    expect(sizeOf(images[0])).toEqual({ width: 1568, height: 1176 });
    expect(about).toMatchObject({ isThumbnail: false });
  });
});

/** Files that are no complete JPEG. */
function broken(kind: 'half written' | 'a PNG'): Buffer {
  return kind === 'a PNG' ? png : plain.subarray(0, 1000);
}

describe('a file that is not a complete JPEG', () => {
  test.each(['half written', 'a PNG'] as const)(
    'get_screenshot of a file that is %s is IMAGE_UNREADABLE, and a broken thumbnail is not used',
    async (kind) => {
      const bytes = broken(kind);
      for (const files of [{ full: bytes }, { thumbnail: bytes }, { full: bytes, thumbnail: bytes }]) {
        await using server = openTestServer(writeShot(files));
        expect(await server.failure('get_screenshot', { screenshotRef: REFERENCE })).toMatchObject({
          code: 'IMAGE_UNREADABLE',
        });
      }
      const { call, peer } = await served({ full: plain, thumbnail: bytes });
      expect(await call('get_screenshot')).toMatchObject({ images: [image(plain, BOTH)] });
      const { contents } = await peer.readResource(`manictime://screenshot/${REFERENCE}`);
      expect(contents[0]).toMatchObject({ blob: plain.toString('base64') });
    },
  );

  test('get_screenshot still has the thumbnail if the full image is broken', async () => {
    const { call } = await served({ full: plain.subarray(0, 1000), thumbnail });
    expect(await call('get_screenshot')).toMatchObject({ images: [image(thumbnail, BOTH)] });
  });
});

describe('crop_screenshot', () => {
  test('crop_screenshot scales down a region that is too large for an answer, and reports it', async () => {
    const { call } = await served({ full: large, thumbnail });
    const { images, about } = await call('crop_screenshot', WHOLE);
    expect(sizeOf(images[0])?.width).toBe(1568);
    expect(about).toMatchObject({ scaledTo: 1568 });
    const noisy = await served({ full: noise });
    const scaled = await noisy.call('crop_screenshot', WHOLE);
    expect(sizeOf(scaled.images[0])?.width).toBe(784);
    expect(scaled.about).toMatchObject({ scaledTo: 784 });
  });

  test('crop_screenshot crops the thumbnail if the full image is missing, and reports it', async () => {
    const { call } = await served({ thumbnail });
    const { images, about } = await call('crop_screenshot', { ...WHOLE, width: 50 });
    expect(sizeOf(images[0])).toEqual({ width: 160, height: 240 });
    expect(about).toMatchObject({ isThumbnail: true });
    const full = await served({ full: plain, thumbnail });
    expect((await full.call('crop_screenshot', WHOLE)).about).not.toHaveProperty('isThumbnail');
  });
});

test.each([
  ['a deleted screenshot', {}, 'NOT_FOUND'],
  ['a truncated image', { full: Buffer.from([0xff, 0xd8, 0xff]) }, 'IMAGE_UNREADABLE'],
  ['an image with too many pixels', { full: jpegHeader(30_000, 30_000) }, 'IMAGE_TOO_LARGE'],
])('under a mount the error for %s names tools as the client knows them', async (_, files, code) => {
  const dataDir = writeShot(files);
  await using server = openTestServer(dataDir, {}, { toolName: (name) => `desk_${name}` });
  const failure = await server.failure('crop_screenshot', { screenshotRef: REFERENCE, ...WHOLE });
  expect(failure).toMatchObject({ code, hint: expect.stringMatching(/desk_(?:list|get)_screenshots?/) });
  expect(failure.hint).not.toMatch(/(?<!desk_)(?:get|list|crop|save)_\w+/);
});

/** A JPEG header with a size and no content. */
function jpegHeader(width: number, height: number): Buffer {
  const bytes = Buffer.from([
    0xff, 0xd8, 0xff, 0xc0, 0, 17, 8, 0, 0, 0, 0, 3, 1, 0x11, 0, 2, 0x11, 1, 3, 0x11, 1, 0xff, 0xd9,
  ]);
  bytes.writeUInt16BE(height, 7);
  bytes.writeUInt16BE(width, 9);
  return bytes;
}
