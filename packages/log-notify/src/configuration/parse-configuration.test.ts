import { expect, test } from 'vitest';
import { parseConfiguration } from './parse-configuration.ts';
import { planOf } from './plan.ts';

function sinkOf(toml: string, name: string) {
  const { configuration, problems } = parseConfiguration(toml);
  if (configuration === undefined) throw new Error(problems.join('\n'));
  const { sinks } = planOf(configuration, { filter: undefined, file: undefined }, '/default.jsonl');
  return { sink: sinks.find((sink) => sink.name === name), problems };
}

test.each([
  [
    '[file]\nmax_size = "500kB"\nkeep = 2\npath = "/x"',
    { kind: 'file', path: '/x', maxSize: 500_000, keep: 2 },
  ],
  ['[file]\nmax_size = 2048', { kind: 'file', path: '/default.jsonl', maxSize: 2048, keep: 5 }],
])('%j', (toml, target) => {
  expect(sinkOf(toml, 'file')).toMatchObject({ sink: { target }, problems: [] });
});

test.each([
  ['fold = "90s"', { fold: 90_000 }],
  ['fold = false', { fold: 0 }],
  ['digest = "1.5h"', { digest: 5_400_000 }],
  ['rate = false', { rate: undefined }],
  ['rate = { burst = 1, per_minute = 0.5 }', { rate: { burst: 1, perMinute: 0.5 } }],
  ['contexts = ["Safety", "code review"]', { contexts: ['safety', 'code-review'] }],
  ['level = "error"', { level: 'error' }],
])('[desktop] %s', (setting, policy) => {
  expect(sinkOf(`[desktop]\n${setting}`, 'desktop')).toMatchObject({ sink: { policy }, problems: [] });
});

test.each([
  ['[desktop]\nfold = "soon"', /desktop\.fold: use a duration/],
  ['[desktop]\nrate = 5', /desktop\.rate: use \{ burst/],
  ['[file]\nmax_size = "big"', /file\.max_size: use a size/],
  ['[file]\nkeep = 0', /file\.keep/],
  ['[file]\ncolour = 1', /file\.colour is unknown; there are enabled/],
  ['desktop = true', /desktop must be a table, as in \[desktop\]/],
  ['filter = 5', /filter: use a text/],
  ['[tracing]\ntargets = [{ name = "llm_notify", level = "loud" }]', /"llm_notify" is none of off, error/],
])('%j is reported, and the sinks are there all the same', (toml, problem) => {
  const { configuration, problems } = parseConfiguration(toml);
  if (configuration === undefined) throw new Error('unusable');
  const plan = planOf(configuration, { filter: undefined, file: undefined }, '/default.jsonl');
  expect([...problems, ...plan.problems]).toStrictEqual([expect.stringMatching(problem)]);
  expect(plan.sinks.map(({ name }) => name)).toStrictEqual(['stderr', 'file', 'desktop']);
});

test.each([
  ['https://example.org/x', true],
  ['http://localhost:8080/', true],
  ['http://127.0.0.1/', true],
  ['http://[::1]:1/', true],
  ['http://example.org/', false],
  ['http://127.0.0.1.example.org/', false],
  ['http://localhost.example.org/', false],
  ['http://10.0.0.1/', false],
  ['file:///etc/passwd', false],
  ['ftp://localhost/', false],
  ['nonsense', false],
])('a webhook at %s is allowed: %s', (url, isAllowed) => {
  expect(sinkOf(`[[webhook]]\nurl = ${JSON.stringify(url)}`, 'webhook').sink !== undefined).toBe(isAllowed);
});

test('services of one kind are told apart, with one name or none', () => {
  const toml =
    '[[ntfy]]\ntopic = "a"\n[[ntfy]]\ntopic = "b"\n[[ntfy]]\nname = "x"\ntopic = "c"\n[[ntfy]]\nname = "x"\ntopic = "d"';
  const { configuration } = parseConfiguration(toml);
  const plan = configuration && planOf(configuration, { filter: undefined, file: undefined }, '/x');
  expect(plan?.sinks.map(({ name }) => name).slice(3)).toStrictEqual([
    'ntfy',
    'ntfy 2',
    'ntfy x',
    'ntfy x (2)',
  ]);
});
