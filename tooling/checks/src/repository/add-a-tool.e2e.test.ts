import { chmodSync, cpSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { temporaryFolder } from '@deskside/testkit';
import { expect, test } from 'vitest';
import { command } from '../check.ts';
import { packages, root } from '../workspace.ts';

const TIMEOUT_MS = 10 * 60_000;
const STEP_TIMEOUT_MS = 3 * 60_000;

/** The files of this repository, changed ones included, with what is built and installed. */
async function copyRepository(): Promise<string> {
  const copy = temporaryFolder();
  // Some tests start a program as another user.
  chmodSync(copy, 0o755);
  const { stdout } = await command('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard']);
  // Packages of tooling are not built; they have a dist folder only after a check of the types.
  const built = packages
    .flatMap(({ directory }) => [join(directory, 'dist'), join(directory, 'node_modules')])
    .filter((folder) => existsSync(folder))
    .map((folder) => folder.slice(root.length + 1));
  // Links between workspace packages are relative: in the copy they lead to the copy.
  const options = { recursive: true, preserveTimestamps: true, verbatimSymlinks: true, force: true };
  symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'));
  for (const path of [...stdout.split('\0').filter((file) => file !== ''), ...built]) {
    mkdirSync(dirname(join(copy, path)), { recursive: true });
    cpSync(join(root, path), join(copy, path), options);
  }
  return copy;
}

test(
  'the steps of "Add a tool" in CONTRIBUTING lead to a green repository',
  async () => {
    const copy = await copyRepository();
    const edit = (path: string, change: (text: string) => string) => {
      const text = readFileSync(join(copy, path), 'utf8');
      const changed = change(text);
      expect(changed, path).not.toBe(text);
      writeFileSync(join(copy, path), changed);
    };
    const run = async (program: string, ...args: readonly string[]) => {
      const { failed, all } = await command(program, args, { cwd: copy, timeout: STEP_TIMEOUT_MS });
      expect(failed ? all : '').toBe('');
    };
    const tools = 'packages/todo/src/tools';

    const contributing = readFileSync(join(copy, 'CONTRIBUTING.md'), 'utf8');
    for (const step of ['src/tools/extensions.test.ts', 'src/tools/<tool-name>.ts', 'src/tools/index.ts']) {
      expect(contributing).toContain(step);
    }
    expect(contributing).toContain('pnpm exec vitest run packages/<name> --project unit -u');
    expect(contributing).toContain('pnpm run docs');

    // 1. Its test: the contract of todo has no other tools.
    const added = `
test('finish_task reports a missing task', async () => {
  const peer = await connect();
  expect(await ask(peer, 'finish_task', { task_id: 9 })).toStrictEqual({ error: 'Task not found', task_id: 9 });
});
`;
    edit(`${tools}/extensions.test.ts`, (text) => text + added);

    // 2. The tool, in a file with its name.
    const other = readFileSync(join(copy, tools, 'complete-task.ts'), 'utf8');
    const text = other
      .replaceAll('complete_task', 'finish_task')
      .replaceAll('completeTask', 'finishTask')
      .replaceAll('defineTodoTool', 'defineExtraTool')
      .replace("title: 'Complete task'", "title: 'Finish task'")
      .replace("'Mark a task as complete'", "'Mark a task as finished'");
    writeFileSync(join(copy, tools, 'finish-task.ts'), text);

    // 3. The array of all tools.
    edit(`${tools}/index.ts`, (index) =>
      index
        .replace(
          'import { listTasks }',
          "import { finishTask } from './finish-task.ts';\nimport { listTasks }",
        )
        .replace(/,?\s*\];\n$/, ', finishTask];\n'),
    );

    // 4. tools.json, 5. the README tables.
    await run('vitest', 'run', 'packages/todo', '--project', 'unit', '-u');
    await run('node', 'tooling/checks/src/docs/generate.ts');

    expect(readFileSync(join(copy, 'packages/todo/tools.json'), 'utf8')).toContain('"finish_task"');
    expect(readFileSync(join(copy, 'packages/todo/README.md'), 'utf8')).toContain('`finish_task`');
    await run('oxfmt', 'packages/todo');
    await run('tsc', '-b', 'packages/todo', 'apps/aggregator');
    await run('oxlint', '--type-aware', '--deny-warnings', 'packages/todo');
    await run('node', 'tooling/checks/src/docs/generate.ts', '--check');
    const folders = ['packages/todo', 'apps/aggregator', 'tooling/checks'];
    await run('vitest', 'run', '--update=none', ...folders, '--project', 'unit');
    if (process.env['DESKSIDE_PROOF'] === '1') {
      // Other tests of the aggregator need a folder that every user of the machine can read.
      const cli = 'apps/aggregator/src/cli.e2e.test.ts';
      await run(
        'vitest',
        'run',
        '--update=none',
        'packages/todo/src/cli.e2e.test.ts',
        cli,
        '--project',
        'e2e',
      );
    }
  },
  TIMEOUT_MS,
);
