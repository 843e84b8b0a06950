import { temporaryFolder, cleanEnvironment } from '@deskside/testkit';
import { expect, test } from 'vitest';
import { connectPopup } from './testing/popup-client.ts';

test.each([
  ['no display', {}],
  ['a display that is there no more', { DISPLAY: ':9977' }],
])('%s: the bin says so, and goes on', async (_, env) => {
  await using client = await connectPopup({ ...cleanEnvironment(temporaryFolder()), ...env });
  for (const message of ['Anybody?', 'Anybody else?']) {
    const answer = await client.call({ message });
    expect(answer.isError).toBe(true);
    expect(answer.content[0]).toStrictEqual({
      type: 'text',
      text: 'Error: Cannot display popup - no display available. This feature requires a graphical environment.',
    });
  }
});
