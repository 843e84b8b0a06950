import { listen } from '@deskside/testkit';
import { expect, test } from 'vitest';
import { diagnose } from './doctor.ts';

test('doctor lists the tools, and with --http the address', async () => {
  const without = await diagnose({ http: false, host: '127.0.0.1', port: 0 });
  expect(without).toMatchObject({ facts: [['Tools', 'show_notification']], problems: [] });
  const { facts, problems } = await diagnose({ http: true, host: '127.0.0.1', port: 0 });
  expect(facts).toContainEqual(['Address', expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/mcp$/)]);
  expect(problems).toEqual([]);
});

test('doctor --http reports a port that is in use, and the options that change it', async () => {
  await using server = await listen();
  const { port } = server;
  const { problems } = await diagnose({ http: true, host: '127.0.0.1', port });
  expect(problems).toEqual([
    {
      problem: expect.stringContaining(String(port)),
      remedy: 'Choose another address with --host or --port.',
    },
  ]);
});
