import { assert, asyncProperty } from 'fast-check';
import { type Browser, chromium } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { missingPackages, needs } from '../testing/desktop.ts';
import { play, streams } from '../testing/key-streams.ts';
import { openStreamPlayer } from '../testing/stream-player.ts';

const IS_PROOF = process.env['DESKSIDE_PROOF'] === '1';
const COUNT = IS_PROOF ? 1000 : 25;
/** Other streams each time. The variable repeats a run. */
const SEED = Number(process.env['POPUP_STREAMS_SEED'] ?? Date.now() % 1_000_000_000);

describe.skipIf(missingPackages.length > 0)(`random streams of keys and clicks${needs}`, () => {
  let browser: Browser;
  beforeAll(async () => {
    const args = process.getuid?.() === 0 ? ['--no-sandbox'] : [];
    browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args });
  });
  afterAll(() => browser.close());

  test(
    `${COUNT} random streams send only what the person meant, and lose no key (seed ${SEED})`,
    { timeout: IS_PROOF ? 3_600_000 : 120_000 },
    async () => {
      const player = await openStreamPlayer(browser);
      const endings = new Set<string>();
      const property = asyncProperty(streams, async (stream) => {
        const { steps, expected } = play(stream);
        endings.add(expected.ending.kind);
        const { terminal: _, ...ofPopup } = expected;
        expect(await player(stream, steps)).toStrictEqual(ofPopup);
      });
      await assert(property, { numRuns: COUNT, seed: SEED, endOnFailure: !IS_PROOF });
      if (IS_PROOF)
        expect([...endings].toSorted()).toStrictEqual(['cancelled', 'later', 'open', 'quiet', 'submitted']);
    },
  );
});
