import { firstText, randomOf, SEED } from '@deskside/testkit';
import type { Notification } from '@deskside/toaster';
import { describeInChromium } from '@deskside/toaster/testing';
import { beforeAll, expect, test } from 'vitest';
import { buildRunScript, startServer } from './testing/view-page.ts';

const POINTS = 20;
const random = randomOf(SEED);
/** Each shows work in progress; the first one ends. */
const CALLS = [
  { id: 'build', message: 'Building', severity: 'info', loading: true },
  { id: 'deploy', message: 'Deploying', severity: 'info', loading: true, duration: 0 },
  { id: 'build', message: 'Built', severity: 'success' },
  { id: 'test', message: 'Testing', severity: 'info', loading: true },
];
/** The first part of the stream starts the run, and each call has four parts in AG-UI, three in the AI SDK. */
const PARTS = { runAgUi: 1 + CALLS.length * 4, runAiSdk: 1 + CALLS.length * 3 };

let script: string;
/** What the real server answers. */
const answers: string[] = [];
beforeAll(async () => {
  script = await buildRunScript();
  await using server = await startServer();
  for (const call of CALLS) answers.push(firstText(await server.callTool('show_notification', call)));
});

describeInChromium(({ open }) => {
  test.each(
    (['runAgUi', 'runAiSdk'] as const).flatMap((chat) =>
      (['stopped', 'failed', 'finished'] as const).map((ends) => ({ chat, ends })),
    ),
  )(
    '$chat: a run that is $ends at twenty random points leaves no spinner in the page',
    async ({ chat, ends }) => {
      const page = await open({ clock: false, bypassCSP: true });
      await page.addScriptTag({ content: script });
      let begun = 0;
      for (let point = 0; point < POINTS; point += 1) {
        const results = answers.map((answer, call) => {
          const { notification }: { notification: Notification } = JSON.parse(answer);
          const timestamp = new Date(Date.now() + call).toISOString();
          return JSON.stringify({
            notification: { ...notification, id: `${notification.id}-${point}`, timestamp },
          });
        });
        const stopAfter = 1 + random(PARTS[chat]);
        const found = await page.evaluate(
          async ([name, run]) => {
            await runs[name](run);
            const toaster = document.querySelector('deskside-toaster');
            const shown = toaster?.history.length ?? 0;
            const spinners = toaster?.shadowRoot?.querySelectorAll('.loading').length;
            toaster?.openCenter();
            const inCenter = toaster?.shadowRoot?.querySelectorAll('.loading').length;
            toaster?.closeCenter();
            toaster?.dismissAll();
            return { shown, spinners, inCenter };
          },
          [chat, { runId: `run-${point}`, results, stopAfter, ends }] as const,
        );
        begun = found.shown;
        expect({ stopAfter, ...found }).toMatchObject({ spinners: 0, inCenter: 0 });
      }
      expect(begun).toBeGreaterThan(0);
    },
  );
});
