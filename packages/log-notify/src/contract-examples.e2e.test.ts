// What the specification prints, against the built program: the calls with their answers, the templates and the filter.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { connectStdio, startProgram, temporaryFolder } from '@deskside/testkit';
import { expect, test } from 'vitest';
import { bin, run, written } from './testing/bin.ts';
import { contractRows, workflow } from './testing/contract-rows.ts';

const ERAS = ['legacy', 'modern'] as const;

/** The texts of the use cases and of the prompts, and the call with all arguments. */
const EXAMPLES = contractRows.slice(0, 12);

test.each(ERAS)(
  'in the %s era, each example call has the printed answer, and a terminal shows it at once',
  async (era) => {
    const home = temporaryFolder();
    // Private, or the desk database would be in a folder that other tests use too.
    mkdirSync(join(home, 'state/deskside'), { recursive: true, mode: 0o700 });
    await using tail = startProgram(bin(home, ['tail']));
    await tail.printed(/Waiting for /);
    await using peer = await connectStdio(bin(home), { era });
    for (const { args, level, context } of EXAMPLES) {
      const message = String(args['message']);
      const answer = await peer.callTool('notify', { ...args });
      expect(answer.content).toStrictEqual([{ text: `Notification sent: ${message}`, type: 'text' }]);
      expect(answer.isError).toBe(false);
      await tail.printed(new RegExp(`${level.toUpperCase()} +\\[${context}\\] [^\\n]*${message}\\n`));
    }
    expect(written(home)).toStrictEqual(
      EXAMPLES.map(({ args, level, context }) => ({ level, context, message: args['message'] })),
    );
  },
);

const COMPLEX = 'Complex refactoring detected - breaking into smaller steps for safety';
const CONDITIONAL = `{% if complexity > 5 %}
{{ notify "${COMPLEX}" }}
{% endif %}`;

test('render sends the notifications of the printed templates, in order', async () => {
  const home = temporaryFolder();
  writeFileSync(join(home, 'conditional.liquid'), CONDITIONAL);
  writeFileSync(join(home, 'workflow.liquid'), workflow);
  const render = async (...args: readonly string[]) => {
    const { code, stdout } = await run(home, ['render', ...args]);
    expect(code).toBe(0);
    return stdout;
  };
  await render(join(home, 'conditional.liquid'), 'complexity=5');
  expect(await render(join(home, 'workflow.liquid'))).toBe(
    '1. Analyze codebase structure\n2. \n3. Prioritize changes by impact\n4. \n',
  );
  await render(join(home, 'conditional.liquid'), 'complexity=6');
  expect(written(home).map(({ message }) => message)).toStrictEqual([
    'Found 3 potential refactoring opportunities',
    'Starting with highest-impact changes first',
    COMPLEX,
  ]);
});

const TRACING = `[tracing]
targets = [
  { name = "llm_notify", level = "info" },
  { name = "llm_notify::warn", level = "warn" }
]
`;

test.each([
  [TRACING, ['info', 'warn', 'error']],
  [TRACING.replace('level = "warn"', 'level = "off"'), ['info', 'error']],
])('the configuration %j passes %j, and each call has the printed answer', async (block, passed) => {
  const home = temporaryFolder();
  const config = join(home, 'log-notify.toml');
  writeFileSync(config, block);
  {
    await using peer = await connectStdio(bin(home, ['--config', config]), { era: 'modern' });
    for (const level of ['info', 'warn', 'error']) {
      const { content, isError } = await peer.callTool('notify', { message: `at ${level}`, level });
      expect(content[0]).toStrictEqual({ text: `Notification sent: at ${level}`, type: 'text' });
      expect(isError).toBe(false);
    }
  }
  expect(written(home).map(({ level }) => level)).toStrictEqual(passed);
});
