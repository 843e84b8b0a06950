import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { temporaryFolder } from '@deskside/testkit';
import { expect, test } from 'vitest';
import { running } from '../testing/external.ts';
import { callOf } from '../testing/fake.ts';
import { openDesk } from '../testing/open-desk.ts';
import { commandOf, type RealServer } from '../testing/real-server.ts';
import { scriptedPerson } from '../testing/scripted-person.ts';

const PERSON_SHARE = 0.03;

/** An agent that looks around, changes a few files, and looks again. */
function sessionIn(folder: string): readonly (readonly [tool: string, args: Record<string, unknown>])[] {
  const at = (name: string) => ({ path: join(folder, name) });
  const look = [
    ['list_directory', at('src')],
    ['directory_tree', at('.')],
    ['search_files', { ...at('.'), pattern: '*.ts' }],
    ['read_text_file', at('src/a.ts')],
    ['read_text_file', at('src/b.ts')],
    ['get_file_info', at('src/a.ts')],
    ['read_multiple_files', { paths: [join(folder, 'src/a.ts'), join(folder, 'src/b.ts')] }],
    ['list_allowed_directories', {}],
  ] as const;
  const edit = [
    ['edit_file', { ...at('src/a.ts'), edits: [{ oldText: '1', newText: '2' }] }],
    ['edit_file', { ...at('src/b.ts'), edits: [{ oldText: '1', newText: '2' }] }],
    ['write_file', { ...at('src/c.ts'), content: 'export const c = 3;\n' }],
  ] as const;
  const looks = (count: number) => Array.from({ length: count }, () => look).flat();
  return [
    ...looks(6),
    ...edit,
    ...looks(5),
    ['move_file', { source: join(folder, 'src/c.ts'), destination: join(folder, 'src/d.ts') }],
    ...looks(5),
  ];
}

const filesystem: RealServer = {
  packageName: '@modelcontextprotocol/server-filesystem',
  bin: 'dist/index.js',
  era: 'legacy',
  args: (folder) => [folder],
};

test('a session with the real file server asks for what destroys, for nothing that reads, and rarely', async () => {
  const folder = temporaryFolder();
  await mkdir(join(folder, 'src'));
  for (const name of ['a', 'b'])
    await writeFile(join(folder, `src/${name}.ts`), `export const ${name} = 1;\n`);
  const { approvals, open } = scriptedPerson();
  const [command, ...args] = commandOf(filesystem, folder);
  const { peer } = await openDesk({ files: running({ command, args }) }, { approvals });
  const { tools } = (await peer.request('tools/list')) as {
    tools: readonly { name: string; annotations?: { readOnlyHint?: boolean; destructiveHint?: boolean } }[];
  };
  const hints = new Map(tools.map(({ name, annotations }) => [name, annotations]));
  const asked: string[] = [];
  const calls = sessionIn(folder);
  for (const [tool, args] of calls) {
    const calling = callOf(peer, `files_${tool}`, args);
    let isOver = false;
    const over = calling.finally(() => (isOver = true));
    await expect.poll(() => isOver || open.length > 0).toBe(true);
    if (open.length > 0) {
      asked.push(tool);
      open[0]?.answer({ kind: 'allowed', scope: 'session' });
    }
    expect(JSON.stringify(await over)).not.toMatch(/"isError":true|NOT_APPROVED|DENIED/);
  }
  expect(asked.filter((tool) => hints.get(`files_${tool}`)?.readOnlyHint === true)).toStrictEqual([]);
  const destructive = new Set(
    calls.map(([tool]) => tool).filter((tool) => hints.get(`files_${tool}`)?.destructiveHint === true),
  );
  expect(destructive.size).toBeGreaterThan(0);
  expect(asked).toStrictEqual(expect.arrayContaining([...destructive]));
  expect(asked.length / calls.length).toBeLessThanOrEqual(PERSON_SHARE);
});
