import {
  chmodSync,
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { temporaryFolder } from '@deskside/core/testing';
import { listen } from '@deskside/testkit';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { command, TSC } from '../check.ts';
import { packages, root } from '../workspace.ts';

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
vi.setConfig({ testTimeout: 10 * 60_000, hookTimeout: 10 * 60_000 });
beforeAll(() => copyRepository(copy));
afterAll(() => folder[Symbol.dispose]());

function add(path: string, content: string): void {
  mkdirSync(dirname(join(copy, path)), { recursive: true });
  writeFileSync(join(copy, path), content);
}

function edit(path: string, change: (text: string) => string): void {
  const text = readFileSync(join(copy, path), 'utf8');
  const changed = change(text);
  expect(changed, path).not.toBe(text);
  writeFileSync(join(copy, path), changed);
  edited.push(path);
}

/** @returns what the program printed */
async function run(program: string, ...args: readonly string[]): Promise<string> {
  // The proof runs its long tests itself.
  const env = {
    HOME: join(copy, 'home'),
    XDG_CONFIG_HOME: '',
    XDG_STATE_HOME: '',
    DISPLAY: '',
    DESKSIDE_PROOF: '',
  };
  const { failed, all } = await command(program, args, { cwd: copy, env });
  expect(failed ? all : '').toBe('');
  return all;
}

/** What `npm test` looks at in one package, except the tests that start programs. */
async function check(folder: string): Promise<void> {
  await run('oxfmt', folder);
  await run(TSC, '-b', folder, 'apps/aggregator');
  await run('oxlint', '--type-aware', '--deny-warnings', folder);
  await run('vitest', 'run', '--update=none', folder, '--project', 'unit');
}

const EXPORTS = ['tooling/checks/src/repository/exports.test.ts', '--project', 'unit'];

/** The chapter of CONTRIBUTING names what the test carries out. */
function expectSteps(title: string, ...steps: readonly string[]): void {
  const page = readFileSync(join(copy, 'CONTRIBUTING.md'), 'utf8');
  const start = page.indexOf(`\n## ${title}\n`);
  expect(start, title).toBeGreaterThan(-1);
  const chapter = page.slice(start, page.indexOf('\n## ', start + 1));
  for (const step of steps) expect(chapter).toContain(`${step}\``);
}

test('the steps of "Add a tool" lead to a green repository', async () => {
  const tools = 'packages/todo/src/tools';
  expectSteps('Add a tool', 'src/tools/extensions.test.ts', 'src/tools/<tool-name>.ts', 'src/tools/index.ts');

  // 1. Its test: the contract of todo has no other tools.
  const added = `
test('finish_task reports a missing task', async () => {
  const peer = await connectTodo();
  expect(await ask(peer, 'finish_task', { task_id: 9 })).toStrictEqual({ error: 'Task not found', task_id: 9 });
});
`;
  edit(`${tools}/extensions.test.ts`, (text) => text + added);

  // 2. The tool, in a file with its name.
  const text = `import { requireTask } from '../validation/rejected-call.ts';
import { defineExtraTool } from './define-tool.ts';
import { oneTask } from './one-task.ts';
import { changedTask, toChangedTask } from './schemas.ts';

export const finishTask = defineExtraTool({
  name: 'finish_task',
  title: 'Finish task',
  description: 'Mark a task as finished',
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  input: oneTask('finish'),
  output: changedTask('completed'),

  async run(args, { store, caller, changed }) {
    const { task_id: id } = args;
    const task = requireTask(await (await store()).complete(caller, id), id);
    changed(caller.user, id);
    return toChangedTask(task, 'completed');
  },
});
`;
  add(join(tools, 'finish-task.ts'), text);

  // 3. The array of all tools.
  edit(`${tools}/index.ts`, (index) =>
    index
      .replace('import { listTasks }', "import { finishTask } from './finish-task.ts';\nimport { listTasks }")
      .replace(/,?\s*\];\n$/, ', finishTask];\n'),
  );

  // 4. tools.json, 5. the README lists.
  await run('vitest', 'run', 'packages/todo', '--project', 'unit', '-u');
  await run('node', 'tooling/checks/src/docs/generate.ts');

  expect(readFileSync(join(copy, 'packages/todo/tools.json'), 'utf8')).toContain('"finish_task"');
  expect(readFileSync(join(copy, 'packages/todo/README.md'), 'utf8')).toContain('`finish_task`');
  await check('packages/todo');
  // Other tests of the aggregator need a folder that every user of the machine can read.
  const files = ['packages/todo/src/cli.e2e.test.ts', 'apps/aggregator/src/cli.e2e.test.ts'];
  await run('vitest', 'run', '--update=none', ...files, '--project', 'e2e');
});

/** What `packages/wave` has in the place of the tools of ui-toast and their test. */
const WAVE: Readonly<Record<string, string>> = {
  'src/tools/index.ts': `import { toolDefiner } from '@deskside/core';
import * as z from 'zod';
import type { Wave } from '../wave.ts';

const sayHello = toolDefiner<Wave>()({
  name: 'say_hello',
  title: 'Say hello',
  description: 'Returns a greeting. Use it once per conversation.',
  annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  input: z.object({ name: z.string().describe('Name of the person, for example "Ada".') }),
  run: ({ name }) => \`Hello \${name}\`,
});
export const waveTools = [sayHello];
`,
  'src/server.test.ts': `import { describeServer } from '@deskside/testkit';
import { waveServer } from './server.ts';
import { openWave } from './wave.ts';

describeServer({
  name: 'wave',
  open: async () => ({ definition: waveServer(openWave()), [Symbol.asyncDispose]: async () => undefined }),
  toolsJson: '../tools.json',
  tokenBudget: 600,
  samples: [{ tool: 'say_hello', args: { name: 'Ada' }, survives: ['Hello Ada'] }],
});
`,
};

/** ui-toast under another name. */
const words = (text: string) =>
  text
    .replaceAll(/ui-toast|uiToast/g, 'wave')
    .replaceAll('UiToast', 'Wave')
    .replaceAll('UI_TOAST', 'WAVE');

/** Adds the place of ui-toast in a list once more, for the other name. */
function repeat(path: string, place: RegExp): void {
  edit(path, (text) => text.replace(place, (own) => own + words(own)));
}

test('the steps of "Add a mount" lead to a green repository', async () => {
  const places = [
    'tsconfig.json',
    'src/mounts/own-ids.ts',
    'package.json',
    'src/mounts/built-in.ts',
    'src/attach/variables.ts',
    'src/cli.e2e.test.ts',
  ];
  expectSteps('Add a mount', ...places);
  edited = [];

  // 1. The package.
  const [toast, wave] = [join(copy, 'packages/ui-toast'), 'packages/wave'];
  const same = globSync('{package.json,server.json,README.md,src/{,commands/}*.ts}', { cwd: toast });
  for (const path of same.filter((each) => !each.endsWith('.test.ts'))) {
    add(join(wave, words(path)), words(readFileSync(join(toast, path), 'utf8')));
  }
  for (const [path, content] of Object.entries(WAVE)) add(join(wave, path), content);
  edit(`${wave}/package.json`, (text) => text.replace('    "@deskside/toaster": "workspace:^",\n', ''));
  edit(`${wave}/src/server.ts`, (text) => text.replaceAll(/.*toastView.*\n/g, ''));
  edit(`${wave}/src/index.ts`, (text) =>
    text.replace(/export type \{[^}]*\} from '@deskside\/toaster.*\n/, ''),
  );
  cpSync(join(copy, 'packages/log-notify/tsconfig.json'), join(copy, wave, 'tsconfig.json'));

  // 2. The places that name it, and what `pnpm install` would link.
  const aggregator = 'apps/aggregator';
  repeat('tsconfig.json', /.*packages\/ui-toast.*\n/);
  repeat(`${aggregator}/package.json`, /.*deskside\/ui-toast.*\n/);
  repeat(`${aggregator}/tsconfig.json`, /.*\{\s*"path": "..\/..\/packages\/ui-toast"\s*\},\n/);
  edit('packages/gateway/src/mounts/own-ids.ts', (text) => text.replace("'toast', ", "'toast', 'wave', "));
  edit(`${aggregator}/src/mounts/built-in.ts`, (text) =>
    text.replace(
      /  toast: \{\n(.*\n)*?  \},\n/,
      (row) =>
        row +
        words(row)
          .replace('  toast:', '  wave:')
          .replace(/ *reaches:.*\n/, ''),
    ),
  );
  repeat(`${aggregator}/src/attach/variables.ts`, /\|UI_TOAST/);
  edit(`${aggregator}/src/cli.e2e.test.ts`, (text) =>
    text.replace("  todo: 'todo',\n", "  todo: 'todo',\n  wave: 'wave',\n"),
  );
  cpSync(join(copy, 'packages/log-notify/node_modules'), join(copy, wave, 'node_modules'), {
    recursive: true,
    verbatimSymlinks: true,
  });
  symlinkSync('../../../../packages/wave', join(copy, aggregator, 'node_modules/@deskside/wave'));

  // 3. What is generated.
  await run('oxfmt', 'packages/wave', aggregator, 'tsconfig.json');
  await run('vitest', 'run', 'packages/wave', '--project', 'unit', '-u');
  await run('node', 'tooling/checks/src/docs/generate.ts');
  await run(TSC, '-b', 'packages/wave', aggregator);
  await run('sh', '-c', 'cd packages/wave && node ../../tooling/checks/src/build/cli.ts');
  await run('vitest', 'run', ...EXPORTS, '-u');

  const outside = new Set(edited.filter((path) => !path.startsWith(wave)));
  // Eight: one more is generated, the pinned exports.
  expect(outside.size).toBeLessThan(8);
  expect(await run('node', `${aggregator}/src/cli.ts`, 'list', '--mounts', 'wave')).toMatch(/wave .*ready/);
  await check('packages/wave');
});

test('the steps of "Add an option" lead to a green repository', async () => {
  const toast = 'packages/ui-toast';
  expectSteps('Add an option', 'src/options.ts', 'pnpm run docs', 'packages/testkit/src/describe-options.ts');
  // 1. The field.
  edit(`${toast}/src/options.ts`, (options) =>
    options.replace(
      '    toaster: z',
      "    greeting: z.string().default('Hello').meta({ placeholder: 'WORD', description: 'First word of a toast.' }),\n    toaster: z",
    ),
  );
  // 2. README and server.json.
  await run('node', 'tooling/checks/src/docs/generate.ts');
  const named = /UI_TOAST_GREETING[^]*First word of a toast\./;
  expect(await run('node', `${toast}/src/cli.ts`, '--help')).toMatch(/--greeting WORD/);
  for (const page of ['README.md', 'server.json']) {
    expect(readFileSync(join(copy, toast, page), 'utf8'), page).toMatch(named);
  }
  // 3. The exports come from the built types.
  await check(toast);
  await run('vitest', 'run', ...EXPORTS, '-u');
});

const PAGER = `import { defineSink } from '../define-sink.ts';
import { address, originOf } from '../fields.ts';

export const pager = defineSink({
  kind: 'pager',
  schema: () => ({ url: address }),
  secrets: ['url'],
  variables: { url: { placeholder: 'URL', description: 'Address of a pager: https://pager.example.org/…' } },
  example: '\\nPager: a made-up service\\n[[pager]]\\nurl = "https://pager.example.org/…"\\n',
  describe: ({ url }) => originOf(url),
  open: ({ url }, { service }) =>
    service(({ message }) => ({ url, body: message, contentType: 'text/plain' })),
});
`;

test('the steps of "Add a sink" lead to a sink that all commands and the delivery know', async () => {
  const folder = 'packages/log-notify';
  expectSteps('Add a sink', `${folder}/src/sinks/services/<kind>.ts`, 'src/sinks/index.ts', 'pnpm run docs');
  // 1. The sink, 2. the list.
  add(join(folder, 'src/sinks/services/pager.ts'), PAGER);
  edit(`${folder}/src/sinks/index.ts`, (index) =>
    index
      .replace('import { slack }', "import { pager } from './services/pager.ts';\nimport { slack }")
      .replace('  telegram,', '  telegram,\n  pager,')
      .replace('  ...telegram.options,', '  ...telegram.options,\n  ...pager.options,'),
  );
  // 4. README and server.json.
  await run('node', 'tooling/checks/src/docs/generate.ts');
  expect(readFileSync(join(copy, folder, 'server.json'), 'utf8')).toContain('LOG_NOTIFY_PAGER_URL');

  const received: string[] = [];
  await using server = await listen((request, response) => {
    void text(request).then((body) => {
      received.push(body);
      return response.end();
    });
  });
  const config = join(copy, 'pager.toml');
  const logNotify = (...args: readonly string[]) =>
    run('node', `${folder}/src/cli.ts`, ...args, '--config', config);
  await logNotify('init');
  expect(readFileSync(config, 'utf8')).toContain('# [[pager]]');
  writeFileSync(config, `[[pager]]\nurl = "${server.origin}/secret"\nlevel = "info"\n`);
  expect(await logNotify('check')).toContain(`  pager: ${server.origin}\n`);
  expect(await logNotify('doctor')).toMatch(/^pager +not tested/m);
  expect(await logNotify('send', 'The build is green')).toContain('pager');
  expect(received).toStrictEqual(['The build is green']);
  await check(folder);
});

test('the repository is green with the tool, the mount, the option and the sink', async () => {
  await run('node', 'tooling/checks/src/docs/generate.ts', '--check');
  // How many bytes of tools a model gets is decided anew with each tool.
  const others = ['--project', 'unit', '-t', '^(?!.*(?:that a model can spare|as a model needs it))'];
  const folders = ['apps/aggregator', 'tooling/checks'];
  expect(await run('vitest', 'run', '--update=none', ...folders, ...others)).toContain('passed');
});
