import { expect, test } from 'vitest';
import { openDesk } from '../open-desk.ts';
import { silentLog } from '@deskside/core';
import { testContext } from '@deskside/core/testing';
import { runCommand, SELF } from '../testing/commands.ts';
import { type ForeignTool, foreignServer } from '@deskside/gateway/testing/foreign-server';
import { userHome } from '../testing/user-home.ts';
import { add } from './add.ts';
import { apply } from './apply.ts';
import { list } from './list.ts';

const tool = (name: string, readOnlyHint?: boolean): ForeignTool => ({
  name,
  description: `Tool ${name}.`,
  inputSchema: { type: 'object' },
  ...(readOnlyHint === undefined ? {} : { annotations: { readOnlyHint } }),
});
const READ = tool('read', true);

/** Names of the tools that models get, and what waits. The server is started. */
async function used(): Promise<{ readonly tools: string; readonly notes: readonly string[] }> {
  await using desk = await openDesk({ mounts: ['docs'], noMounts: [] }, { env: {}, log: silentLog });
  const { definition } = desk.aggregator;
  await definition.callTool('docs_read', {}, testContext());
  const tools = await definition.listTools(testContext());
  return { tools: tools.map(({ name }) => name).join(' '), notes: await desk.notes() };
}

const words = async () =>
  (await runCommand(list(SELF), { flags: { tools: true, 'no-mounts': 'popup,log,toast,manictime' } })).stdout;

const PROMPT = '[y = all, r = reading tools only, N = none] ';

test('add accepts the reading tools only, blocks the others, and does not ask about them again', async () => {
  const { text } = userHome();
  const foreign = await foreignServer([READ, tool('write', false), tool('sum of all')]);
  const operands = ['docs', foreign.url];
  const declined = await runCommand(add, { operands, typed: 'n\n' });
  expect(declined.stdout).toContain(`${PROMPT}Nothing was added.\n`);

  const added = await runCommand(add, { operands, typed: 'r\n' });
  expect(added).toMatchObject({ code: 0, stderr: '' });
  expect(added.stdout).toMatch(/has it now\.\nBlocked in docs: write, sum of all\.\n$/);
  expect(text()).toBe(`[mcpServers.docs]\nurl = "${foreign.url}"\nblock = [ "write", "sum?of?all" ]\n`);
  expect(await used()).toStrictEqual({ tools: 'docs_read', notes: [] });
  expect(await words()).toMatch(
    / {2}read +runs +reads only\n {2}write +blocked +block in deskside\.toml\n {2}sum of all +blocked /,
  );
  expect(await words()).toMatch(/^ {2}add_task {26} {2}runs     own$/m);
  // Its next version.
  foreign.tools = [READ, { ...tool('write', false), description: 'Other.' }, tool('sum of all')];
  expect(await used()).toStrictEqual({ tools: 'docs_read', notes: [] });
  expect((await runCommand(apply)).stdout).toBe('Nothing differs from the accepted copy.\n');
});

test('a server with reading tools only, or without one, is accepted as a whole or not', async () => {
  userHome();
  for (const tools of [[READ], [tool('write', false), tool('sum')]]) {
    const foreign = await foreignServer(tools);
    const ran = await runCommand(add, { operands: ['docs', foreign.url], typed: 'r\n' });
    expect(ran.stdout).toContain('[y/N] Nothing was added.\n');
  }
});

test('apply blocks the new and changed tools that do more than read, and leaves the others and all comments', async () => {
  const { edit, text } = userHome();
  const foreign = await foreignServer([READ, tool('write', false), tool('send', false)]);
  const [before, after] = ['# mine\n[mcpServers.docs] # docs\n', `url = "${foreign.url}" # local\n`];
  edit(`approvals = "off"\n${before}${after}`);
  await runCommand(apply, { flags: { yes: true } });
  foreign.tools = [
    READ,
    tool('write', false),
    { ...tool('send', false), description: 'Other' },
    tool('drop'),
  ];
  await used();
  const applied = await runCommand(apply, { typed: 'r\n' });
  expect(applied.stdout).toContain(`Apply these changes? ${PROMPT}Applied.`);
  expect(applied.stdout).toMatch(/\nBlocked in docs: send, drop\.\n$/);
  expect(text()).toBe(`approvals = "off"\n${before}block = ["send", "drop"]\n${after}`);
  expect(await used()).toStrictEqual({ tools: 'docs_read docs_write', notes: [] });
  expect(await words()).toMatch(/^ {2}write +asks {5}may destroy data$/m);
  expect((await runCommand(apply)).stdout).toBe('Nothing differs from the accepted copy.\n');
});
