import { IS_PROOF, SEED } from '@deskside/testkit';
import { assert, asyncProperty } from 'fast-check';
import { describe, expect, test } from 'vitest';
import { missingPackages, needs } from '../testing/desktop.ts';
import { approvalOf, decisions, playDecision } from '../testing/decision-streams.ts';
import { play, streams } from '../testing/key-streams.ts';
import { openStreamPlayer } from '../testing/stream-player.ts';

const COUNT = IS_PROOF ? 1000 : 20;
const DECISIONS = IS_PROOF ? 4000 : 20;

describe.skipIf(missingPackages.length > 0)(`random streams of keys and clicks${needs}`, () => {
  test(`${COUNT} random streams send only what the person meant, and lose no key (seed ${SEED})`, async () => {
    const player = await openStreamPlayer();
    const endings = new Set<string>();
    const property = asyncProperty(streams, async (stream) => {
      const { steps, expected } = play(stream);
      const { options, isOtherWaiting, isTyping } = stream;
      endings.add(expected.ending.kind);
      expect(await player({ options }, isOtherWaiting, steps, isTyping)).toStrictEqual(expected);
    });
    await assert(property, { numRuns: COUNT, endOnFailure: !IS_PROOF });
    if (IS_PROOF)
      expect([...endings].toSorted()).toStrictEqual(['cancelled', 'later', 'open', 'quiet', 'submitted']);
  });

  test(`in ${DECISIONS} random streams nothing is allowed or denied that the person did not mean (seed ${SEED})`, async () => {
    const player = await openStreamPlayer();
    const endings = new Set<string>();
    const question = {
      message: 'Run shop › drop_table?',
      approval: { ...approvalOf(1), claim: 'shop says: it destroys data.' },
    };
    const property = asyncProperty(decisions, async (stream) => {
      const { steps, expected } = playDecision(stream);
      endings.add('scope' in expected ? expected.scope : expected.kind);
      expect((await player(question, stream.isOtherWaiting, steps)).ending).toStrictEqual(expected);
    });
    await assert(property, { numRuns: DECISIONS, endOnFailure: !IS_PROOF });
    if (IS_PROOF)
      expect([...endings].toSorted()).toStrictEqual('always denied later once open session'.split(' '));
  });
});
