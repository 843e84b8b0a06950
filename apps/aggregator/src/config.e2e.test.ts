import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { connectHttp, firstText, startProgram } from '@deskside/testkit';
import { expect, test } from 'vitest';
import { deskHome } from './testing/desk-home.ts';

const TOKEN = 'a-long-enough-token';
const CORE = JSON.stringify(import.meta.resolve('@deskside/core'));
const ZOD = JSON.stringify(import.meta.resolve('zod'));

/** Servers of other people: one that rejects late, and one that throws. */
const MODULES = {
  rejecting: `
    import { defineServer, toolDefiner } from ${CORE};
    import { z } from ${ZOD};
    const annotations = { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false };
    const described = { title: 'Reject', description: 'Rejects.', annotations, input: z.object({}) };
    const reject = toolDefiner()({ ...described, name: 'reject', run() {
      setImmediate(() => void Promise.reject(new Error('too late')));
      return 'ok';
    } });
    export const definition = defineServer({ name: 'rejecting', version: '1.0.0', deps: null, tools: [reject] });
  `,
  throwing: `throw new Error('no key')`,
};

test('deskside http serves own modules, and survives those that throw and reject', async () => {
  const { home, command, run } = deskHome();
  const folder = join(home, 'config/deskside');
  mkdirSync(folder, { recursive: true });
  const mounts = Object.entries(MODULES).map(([name, text]) => {
    writeFileSync(join(folder, `${name}.mjs`), text);
    return `[mounts.${name}]\nmodule = "./${name}.mjs"\n`;
  });
  writeFileSync(join(folder, 'deskside.toml'), mounts.join('\n'));
  expect(await run('apply', '--yes')).toContain('Applied.');
  const args = ['http', '--port', '0', '--no-mounts', 'log,manictime,popup,toast'];
  await using server = startProgram(command(args, { DESKSIDE_TOKEN: TOKEN }));
  const [, url = ''] = await server.printed(/serves MCP at (\S+)/);
  await server.printed(/^Mount throwing is degraded: \.\/throwing\.mjs cannot be mounted: no key\.$/m);
  await using peer = await connectHttp(url, { era: 'legacy', token: TOKEN });
  expect(firstText(await peer.callTool('rejecting_reject'))).toBe('ok');
  await server.printed(/"message":"unhandled rejection","mount":"rejecting","error":"Error: too late/);
  expect(firstText(await peer.callTool('todo_list_tasks', { user_id: 'me' }))).toBe('[]');
  server.child.kill('SIGTERM');
  expect(await server.exited).toBe(0);
  expect(server.stdout() + server.stderr()).not.toContain(TOKEN);
});
