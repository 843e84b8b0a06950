import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { connectInProcess, temporaryFolder } from '@deskside/testkit';
import sharp from 'sharp';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { jpegSize } from '../images/jpeg-size.ts';
import { openManicTime } from '../manictime.ts';
import { manictimeServer } from '../server.ts';

const WIDTH = 2000;
const HEIGHT = 1500;
const MEGABYTE = 1_000_000;
const BOTH = { audience: ['user', 'assistant'] };
const PERSON = { audience: ['user'] };
const WHOLE = { x: 0, y: 0, width: 100, height: 100 };

let plain: Buffer;
/** Too large for an answer. */
let large: Buffer;
/** So even in the size that models see. */
let noise: Buffer;
let thumbnail: Buffer;
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
});

/** A server with one screenshot, of which there are these files. */
async function served(files: { readonly full?: Buffer; readonly thumbnail?: Buffer }) {
  const dataDir = temporaryFolder();
  const folder = join(dataDir, 'Screenshots', '2025-01-15');
  mkdirSync(folder, { recursive: true });
  const name = join(folder, `2025-01-15_08-30-00_01-00_${WIDTH}_${HEIGHT}_7_0`);
  if (files.full !== undefined) writeFileSync(`${name}.jpg`, files.full);
  if (files.thumbnail !== undefined) writeFileSync(`${name}.thumbnail.jpg`, files.thumbnail);
  const manictime = openManicTime({ dataDir });
  const peer = await connectInProcess(manictimeServer(manictime), { era: 'modern', over: 'stdio' });
  onTestFinished(async () => {
    await peer[Symbol.asyncDispose]();
    await manictime[Symbol.asyncDispose]();
  });
  const [shot] = await manictime.screenshots.shotsIn({ from: 0, to: 4_000_000_000 });
  const call = async (tool: string, args = {}) => {
    const { content } = await peer.callTool(tool, { screenshotRef: shot?.reference, ...args });
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
  test('gives the thumbnail to both and the image to the person', async () => {
    const { call } = await served({ full: plain, thumbnail });
    expect(await call('get_screenshot')).toMatchObject({
      images: [image(thumbnail, BOTH), image(plain, PERSON)],
      about: { isThumbnail: true, width: WIDTH, height: HEIGHT },
    });
  });

  test('gives to both what there is only one of', async () => {
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

  test('links an image that is too large to travel inside, which then comes whole', async () => {
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

  test('scales it down for the model where there is no thumbnail', async () => {
    const { call } = await served({ full: large });
    const { images, about } = await call('get_screenshot');
    expect(images).toMatchObject([{ type: 'image', annotations: BOTH }, { type: 'resource_link' }]);
    expect(sizeOf(images[0])).toEqual({ width: 1568, height: 1176 });
    expect(about).toMatchObject({ isThumbnail: false });
  });
});

describe('crop_screenshot', () => {
  test('scales down a region that is too large to travel inside, and says so', async () => {
    const { call } = await served({ full: large, thumbnail });
    const { images, about } = await call('crop_screenshot', WHOLE);
    expect(sizeOf(images[0])?.width).toBe(1568);
    expect(about).toMatchObject({ scaledTo: 1568 });
    const noisy = await served({ full: noise });
    const scaled = await noisy.call('crop_screenshot', WHOLE);
    expect(sizeOf(scaled.images[0])?.width).toBe(784);
    expect(scaled.about).toMatchObject({ scaledTo: 784 });
  });

  test('takes the region from the thumbnail where there is nothing else, and says so', async () => {
    const { call } = await served({ thumbnail });
    const { images, about } = await call('crop_screenshot', { ...WHOLE, width: 50 });
    expect(sizeOf(images[0])).toEqual({ width: 160, height: 240 });
    expect(about).toMatchObject({ isThumbnail: true });
    const full = await served({ full: plain, thumbnail });
    expect((await full.call('crop_screenshot', WHOLE)).about).not.toHaveProperty('isThumbnail');
  });
});
