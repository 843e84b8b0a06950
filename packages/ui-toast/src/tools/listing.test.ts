import { connectInProcess } from '@deskside/testkit';
import { expect, test } from 'vitest';
import { uiToastServer } from '../server.ts';
import { openUiToast } from '../ui-toast.ts';

const OCCASIONS = [
  '**Success confirmations:** "Workflow deployed successfully!"',
  '**Error alerts:** "Build failed - 3 tests failing"',
  '**Important warnings:** "Budget threshold exceeded - review spending"',
  '**Informational updates:** "New agent available in registry"',
  '**Actionable prompts:** "Do you want to see the error logs?" → action button',
  '**Status changes:** "Database backup completed"',
  '**Critical alerts:** Persistent notifications (duration: 0) that require user attention',
];

const PRACTICES = [
  'Be concise',
  'Use titles for emphasis',
  'Match severity to importance',
  'Provide actions when helpful',
  "Don't spam",
  'Use persistent wisely',
  'Position thoughtfully',
  'Narrate notifications',
];

test('show_notification is listed with what it is for, when to use it, and what the values mean', async () => {
  await using toast = openUiToast();
  await using peer = await connectInProcess(uiToastServer(toast), { era: 'modern', over: 'http' });
  const [tool] = await peer.listTools();
  expect(tool?.description).toMatch(
    /^Trigger toast\/alert notifications in real-time to communicate important updates, confirmations, errors, or actionable alerts\. This is a \*\*streaming UI tool\*\* - notifications appear as tool calls stream through\.\n/,
  );
  for (const occasion of OCCASIONS) expect(tool?.description).toContain(`- ${occasion}\n`);
  expect(tool?.inputSchema.properties).toMatchObject({
    severity: { description: expect.stringMatching(/info: .*success: .*warning: .*error: /) },
    duration: { description: expect.stringMatching(/0: .*3000: .*5000: .*10000: .*15000\+: /) },
    position: { description: expect.stringMatching(/top-right: .*top-center: .*bottom-right: /) },
  });
});

test('the instructions have the best practices and the patterns of the specification', async () => {
  await using toast = openUiToast();
  await using peer = await connectInProcess(uiToastServer(toast), { era: 'modern', over: 'http' });
  PRACTICES.forEach((practice, index) => {
    expect(peer.instructions).toContain(`${index + 1}. **${practice}:**`);
  });
  for (const pattern of ['Progressive alert', 'Error with guidance', 'Proactive warning']) {
    expect(peer.instructions).toContain(`- ${pattern}: `);
  }
});
