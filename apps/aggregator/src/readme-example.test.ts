import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { cleanEnvironment, connectHttp, firstText, startProgram, temporaryFolder } from '@deskside/testkit';
import { expect, test } from 'vitest';

test('the example of the README serves its own mount beside the others', async () => {
  const home = temporaryFolder();
  await using program = startProgram({
    command: process.execPath,
    args: [join(import.meta.dirname, 'testing/readme-example.ts')],
    env: { ...cleanEnvironment(home), PORT: '0' },
  });
  const [, url = ''] = await program.printed(/Serving at (\S+)/);
  const token = readFileSync(join(home, 'data/deskside/token'), 'utf8').trim();
  await using peer = await connectHttp(url, { era: 'modern', token });
  const names = (await peer.listTools()).map(({ name }) => name);
  expect(names).toEqual(expect.arrayContaining(['stock_count', 'todo_add_task']));
  expect(firstText(await peer.callTool('stock_count', { item: 'cup' }))).toBe('cup: 12');
});
