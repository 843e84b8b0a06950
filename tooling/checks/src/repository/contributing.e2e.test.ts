import { chmodSync, cpSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { temporaryFolder } from '@deskside/core/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { command } from '../check.ts';
import { packages, root } from '../workspace.ts';

const TIMEOUT_MS = 10 * 60_000;
const STEP_TIMEOUT_MS = 3 * 60_000;

/** The files of this repository, changed ones included, with what is built and installed. */
async function copyRepository(copy: string): Promise<void> {
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
  // Some guards ask git which files exist.
  await command('git', ['init', '--quiet'], { cwd: copy });
}

/** One copy for all chapters: each adds to what the one before has added. */
const folder = temporaryFolder();
const copy = folder.path;
let edited: string[] = [];
beforeAll(() => copyRepository(copy), TIMEOUT_MS);
afterAll(() => folder[Symbol.dispose]());

function edit(path: string, change: (text: string) => string): void {
  const text = readFileSync(join(copy, path), 'utf8');
  const changed = change(text);
  expect(changed, path).not.toBe(text);
  writeFileSync(join(copy, path), changed);
  edited.push(path);
}

async function run(program: string, ...args: readonly string[]): Promise<void> {
  const { failed, all } = await command(program, args, { cwd: copy, timeout: STEP_TIMEOUT_MS });
  expect(failed ? all : '').toBe('');
}

/** What `npm test` looks at, except the tests that start programs. */
async function check(folder: string): Promise<void> {
  await run('oxfmt', folder);
  await run('tsc', '-b', folder, 'apps/aggregator');
  await run('oxlint', '--type-aware', '--deny-warnings', folder);
  await run('node', 'tooling/checks/src/docs/generate.ts', '--check');
  const folders = [folder, 'apps/aggregator', 'tooling/checks'];
  await run('vitest', 'run', '--update=none', ...folders, '--project', 'unit');
}

/** The steps of a chapter of CONTRIBUTING. */
function chapter(title: string): string {
  const page = readFileSync(join(copy, 'CONTRIBUTING.md'), 'utf8');
  const start = page.indexOf(`\n## ${title}\n`);
  expect(start, title).toBeGreaterThan(-1);
  return page.slice(start, page.indexOf('\n## ', start + 1));
}

test(
  'the steps of "Add a tool" lead to a green repository',
  async () => {
    const tools = 'packages/todo/src/tools';
    for (const step of ['src/tools/extensions.test.ts', 'src/tools/<tool-name>.ts', 'src/tools/index.ts']) {
      expect(chapter('Add a tool')).toContain(step);
    }

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
    await check('packages/todo');
    if (process.env['DESKSIDE_PROOF'] === '1') {
      // Other tests of the aggregator need a folder that every user of the machine can read.
      const files = ['packages/todo/src/cli.e2e.test.ts', 'apps/aggregator/src/cli.e2e.test.ts'];
      await run('vitest', 'run', '--update=none', ...files, '--project', 'e2e');
    }
  },
  TIMEOUT_MS,
);

/** The files of `packages/wave` that are not those of ui-toast under another name. */
const WAVE: Readonly<Record<string, string>> = {
  'src/wave.ts': `export interface Wave extends AsyncDisposable {
  readonly greeting: string;
}

export function openWave({ greeting = 'Hello' }: { readonly greeting?: string } = {}): Wave {
  return { greeting, [Symbol.asyncDispose]: async () => undefined };
}
`,
  'src/options.ts': `import { defineOptions } from '@deskside/core/cli';
import * as z from 'zod';

export const waveOptions = defineOptions(
  'WAVE',
  { greeting: z.string().default('Hello').meta({ placeholder: 'WORD', description: 'First word of the answer.' }) },
  { httpPort: 3349 },
);
`,
  'src/index.ts': `export { waveOptions } from './options.ts';
export { waveServer } from './server.ts';
export { openWave, type Wave } from './wave.ts';
`,
  'src/server.ts': `import { defineServer, type ServerDefinition } from '@deskside/core';
import manifest from '../package.json' with { type: 'json' };
import { waveTools } from './tools/index.ts';
import type { Wave } from './wave.ts';

const instructions = (toolName: (name: string) => string) =>
  \`Call \${toolName('say_hello')} once per conversation, with the name of the person at the desk, and repeat its answer unchanged.\`;

export function waveServer(wave: Wave): ServerDefinition {
  return defineServer({ name: 'deskside-wave', version: manifest.version, instructions, deps: wave, tools: waveTools });
}
`,
  'src/tools/index.ts': `import type { Tool } from '@deskside/core';
import type { Wave } from '../wave.ts';
import { sayHello } from './say-hello.ts';

export const waveTools: readonly Tool<Wave>[] = [sayHello];
`,
  'src/tools/say-hello.ts': `import { toolDefiner } from '@deskside/core';
import * as z from 'zod';
import type { Wave } from '../wave.ts';

export const sayHello = toolDefiner<Wave>()({
  name: 'say_hello',
  title: 'Say hello',
  description: 'Returns a greeting. Use it once per conversation.',
  annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  input: z.object({ name: z.string().describe('Name of the person, for example "Ada".') }),
  run: ({ name }, { greeting }) => \`\${greeting} \${name}\`,
});
`,
  'src/server.test.ts': `import { describeServer } from '@deskside/testkit';
import { waveServer } from './server.ts';
import { openWave } from './wave.ts';

describeServer({
  name: 'wave',
  open: async () => {
    const wave = openWave();
    return { definition: waveServer(wave), [Symbol.asyncDispose]: () => wave[Symbol.asyncDispose]() };
  },
  toolsJson: '../tools.json',
  tokenBudget: 200,
  samples: [{ tool: 'say_hello', args: { name: 'Ada' }, survives: ['Hello Ada'] }],
});
`,
};

/** ui-toast under another name. */
const words = (text: string) =>
  text
    .replaceAll('ui-toast', 'wave')
    .replaceAll('uiToast', 'wave')
    .replaceAll('UiToast', 'Wave')
    .replaceAll('toast: openWave', 'wave: openWave');

const MAX_EDITED_FILES = 8;

test(
  'the steps of "Add a mount" lead to a green repository',
  async () => {
    const steps = chapter('Add a mount');
    edited = [];

    // 1. The package.
    const wave = join(copy, 'packages/wave');
    const same = [
      'package.json',
      'server.json',
      'README.md',
      'src/cli.ts',
      'src/commands/index.ts',
      'src/commands/doctor.ts',
    ];
    for (const path of same) {
      mkdirSync(dirname(join(wave, path)), { recursive: true });
      writeFileSync(join(wave, path), words(readFileSync(join(copy, 'packages/ui-toast', path), 'utf8')));
    }
    for (const [path, text] of Object.entries(WAVE)) {
      mkdirSync(dirname(join(wave, path)), { recursive: true });
      writeFileSync(join(wave, path), text);
    }
    edit('packages/wave/package.json', (text) =>
      text
        .replace('    "@deskside/toaster": "workspace:^",\n', '')
        .replace('    "demo/screenshot.png",\n', ''),
    );
    writeFileSync(join(wave, 'tsconfig.json'), readFileSync(join(copy, 'packages/log-notify/tsconfig.json')));

    // 2. The places that name it, and what `pnpm install` would link.
    const places = [
      'tsconfig.json',
      'package.json',
      'tsconfig.json',
      'src/mounts/built-in.ts',
      'src/cli.e2e.test.ts',
    ];
    for (const place of places) expect(steps).toContain(`\`${place}\``);
    edit('tsconfig.json', (text) =>
      text.replace(
        '{ "path": "packages/ui-toast" },',
        '{ "path": "packages/ui-toast" },\n    { "path": "packages/wave" },',
      ),
    );
    const aggregator = 'apps/aggregator';
    edit(`${aggregator}/package.json`, (text) =>
      text.replace(
        '"@deskside/ui-toast": "workspace:^",',
        '"@deskside/ui-toast": "workspace:^",\n    "@deskside/wave": "workspace:^",',
      ),
    );
    edit(`${aggregator}/tsconfig.json`, (text) =>
      text.replace(
        /(\{\s*"path": "..\/..\/packages\/ui-toast"\s*\})/,
        '$1, { "path": "../../packages/wave" }',
      ),
    );
    edit(`${aggregator}/src/mounts/built-in.ts`, (text) =>
      text
        .replace(
          "from '@deskside/ui-toast';",
          "from '@deskside/ui-toast';\nimport { openWave, waveOptions, waveServer } from '@deskside/wave';",
        )
        .replace(
          '\n};\n\n/** The settings of the mounts',
          "\n  wave: (source) => opened(openWave(settingsFrom(source, waveOptions)), waveServer, { brief: 'greet once.' }),\n};\n\n/** The settings of the mounts",
        ),
    );
    edit(`${aggregator}/src/cli.e2e.test.ts`, (text) =>
      text.replace("  todo: 'todo',\n", "  todo: 'todo',\n  wave: 'wave',\n"),
    );
    cpSync(join(copy, 'packages/todo/node_modules'), join(wave, 'node_modules'), {
      recursive: true,
      verbatimSymlinks: true,
    });
    symlinkSync('../../../../packages/wave', join(copy, aggregator, 'node_modules/@deskside/wave'));

    // 3. What is generated.
    await run('oxfmt', 'packages/wave', aggregator, 'tsconfig.json');
    await run('vitest', 'run', 'packages/wave', '--project', 'unit', '-u');
    await run('node', 'tooling/checks/src/docs/generate.ts');
    await run('tsc', '-b', 'packages/wave', aggregator);
    await run('sh', '-c', 'cd packages/wave && node ../../tooling/checks/src/build/cli.ts');
    await run('vitest', 'run', 'tooling/checks/src/repository/exports.test.ts', '--project', 'unit', '-u');

    const outside = edited.filter((path) => !path.startsWith('packages/wave/'));
    // One more is generated: the pinned exports.
    expect(outside.length + 1).toBeLessThanOrEqual(MAX_EDITED_FILES);
    const list = await command('node', [`${aggregator}/src/cli.ts`, 'list', '--mounts', 'wave'], {
      cwd: copy,
    });
    expect(list.all).toMatch(/wave .*ready/);
    await check('packages/wave');
  },
  TIMEOUT_MS,
);
