import { expect, test } from 'vitest';
import { emptyConfiguration, parseConfiguration } from './parse-config.ts';
import { buildPlan } from './plan.ts';
import { type Example, ruleFor } from './rules.ts';

function planOf(toml: string) {
  const { configuration, problems } = parseConfiguration(toml);
  if (configuration === undefined) throw new Error(problems.join('\n'));
  const plan = buildPlan(configuration, { filter: undefined, file: undefined }, '/default.jsonl');
  return { ...plan, problems: [...problems, ...plan.problems] };
}

function sinkOf(toml: string, name: string) {
  const { sinks, problems } = planOf(toml);
  return { sink: sinks.find((sink) => sink.name === name), problems };
}

test.each([
  ['[file]\nmax_size = "500kB"\nkeep = 2\npath = "/x"', { path: '/x', max_size: 500_000, keep: 2 }],
  ['[file]\nmax_size = 2048', { path: '/default.jsonl', max_size: 2048, keep: 5 }],
])('the section %j configures the file sink', (toml, settings) => {
  expect(sinkOf(toml, 'file')).toMatchObject({ sink: { settings }, problems: [] });
});

test.each([
  ['fold = "90s"', { foldMs: 90_000 }],
  ['fold = false', { foldMs: 0 }],
  ['digest = "1.5h"', { digestMs: 5_400_000 }],
  ['rate = false', { rate: undefined }],
  ['rate = { burst = 1, per_minute = 0.5 }', { rate: { burst: 1, perMinute: 0.5 } }],
  ['contexts = ["Safety", "code review"]', { contexts: ['safety', 'code-review'] }],
  ['exclude_contexts = ["Safety"]', { excludeContexts: ['safety'] }],
  ['level = "error"', { level: 'error' }],
])('the setting %s in [desktop] configures the policy', (setting, policy) => {
  expect(sinkOf(`[desktop]\n${setting}`, 'desktop')).toMatchObject({ sink: { policy }, problems: [] });
});

test.each([
  ['[desktop]\nfold = "soon"', /desktop\.fold: use a duration/],
  ['[desktop]\nrate = 5', /desktop\.rate: use \{ burst/],
  ['[file]\nmax_size = "big"', /file\.max_size: use a size/],
  ['[file]\nkeep = 0', /file\.keep: use a whole number from 1 to 100\.$/],
  ['[file]\npath = "~/notify.jsonl"', /file\.path: use the absolute path of a file\.$/],
  ['[desktop]\ncontexts = [1]', /desktop\.contexts\.0: use a list of contexts/],
  ['[file]\ncolor = 1', /Unknown setting file\.color\. Valid settings: enabled/],
  ['desktop = true', /desktop must be a table, for example \[desktop\]/],
  ['filter = 5', /filter: use a string/],
  ['[tracing]\ntargets = "info"', /tracing\.targets: use a list of \{ name/, /tracing is ignored/],
  [
    '[quiet_hours]\nfrom = "22:00"\nto = "22:00"',
    /quiet_hours\.to: use a time different from "from"\.$/,
    /quiet_hours is ignored\.$/,
  ],
  ['"\\u001b[2J" = 1', /^Unknown key \\x1b\[2J\. Valid keys: filter/],
])('the invalid setting %j is reported, and every sink still exists', (toml, ...expected) => {
  const { sinks, problems } = planOf(toml);
  expect(problems).toStrictEqual(expected.map((problem) => expect.stringMatching(problem)));
  expect(sinks.map(({ name }) => name)).toStrictEqual(['stderr', 'file', 'desktop']);
});

test('an invalid target is ignored, and the other targets apply', () => {
  const { configuration, problems } = parseConfiguration(`[tracing]
targets = [
  { name = "llm_notify", level = "warn" },
  { name = "llm_notify", level = 9 },
  { name = "", level = "off" },
  { name = "llm_notify", level = "off", context = 7 },
  { name = "llm_notify", level = "info", context = "Code Review" },
  "llm_notify::error=off",
  { name = "llm_notify", levl = "off" },
]`);
  expect(configuration?.targets).toStrictEqual([
    { target: 'llm_notify', context: undefined, verbosity: 'warn' },
    { target: 'llm_notify', context: 'code-review', verbosity: 'info' },
  ]);
  expect(problems.filter((problem) => !problem.endsWith('is ignored.'))).toStrictEqual([
    expect.stringMatching(/^tracing\.targets 2\.level: use one of off/),
    expect.stringMatching(/^tracing\.targets 3\.name: use one of llm_notify, llm_notify::info/),
    expect.stringMatching(/^tracing\.targets 4\.context: use a context such as/),
    expect.stringMatching(/^tracing\.targets 6 must be a table/),
    expect.stringMatching(/^Unknown setting tracing\.targets 7\.levl\. Valid settings: name, level, context/),
    expect.stringMatching(/^tracing\.targets 7\.level: use one of off/),
  ]);
});

test('the filter of an option replaces that of the file', () => {
  const { configuration = emptyConfiguration() } = parseConfiguration('filter = "off"');
  const plan = buildPlan(configuration, { filter: 'warn', file: undefined }, '/default.jsonl');
  expect(plan.directives).toMatchObject([{ verbosity: 'warn' }]);
});

const services = {
  webhook: 'url = "https://example.org/"',
  apprise: 'url = "https://example.org/"\nkey = "k"',
  ntfy: 'topic = "desk"',
};

test.each([
  ['webhook', 'secret = "whsec_c2hvcnQ="', /secret: use whsec_ .* Create one with: echo/],
  ['webhook', `secret = "whsec_${'A'.repeat(36)}!!!!"`, /secret: use whsec_/],
  ['webhook', `secret = "whsec_${'A'.repeat(88)}"`, /secret: use whsec_/],
  ['webhook', 'name = "a/b"', /name: use up to 40 letters/],
  [
    'webhook',
    'headers = { Content-Type = "text/plain" }',
    /headers\.Content-Type: this header cannot be set/,
  ],
  ['apprise', 'headers = { "a b" = "x" }', /headers\.a b: use letters/],
  ['apprise', 'headers = { "a\\u001b" = "x" }', /headers\.a\\x1b: use letters/],
  ['apprise', 'headers = { a = "x\\ny" }', /headers\.a: use printable ASCII/],
  ['apprise', 'headers = "a: b"', /headers: use a table such as/],
  ['apprise', 'tag = ""', /tag: use a tag/],
  ['ntfy', 'token = "tk_\\u0001hidden"', /token: use the token exactly as the service shows it/],
  ['ntfy', 'enabled = "no"', /enabled: use true or false/],
  ['ntfy', 'fold = "30d"', /ntfy 1\.fold: use a duration .* at most "7d"/],
  ['webhook', 'body = ""', /webhook 1\.body: use a Liquid template/],
  ['webhook', 'content_type = "text"', /webhook 1\.content_type: use a type such as/],
] as const)('a %s with the invalid %s is ignored as a whole', (kind, setting, problem) => {
  const toml = `[[${kind}]]\n${services[kind]}\n`;
  expect(sinkOf(toml, kind)).toMatchObject({ sink: { definition: { kind } }, problems: [] });
  const { sink, problems } = sinkOf(`${toml}${setting}\n`, kind);
  expect(sink).toBeUndefined();
  expect(problems).toStrictEqual([expect.stringMatching(problem), `${kind} 1 is ignored.`]);
  expect(problems.join('')).not.toMatch(/hidden/);
});

test.each([
  ['a key of 24 bytes', `whsec_${'A'.repeat(32)}`],
  ['a key of 64 bytes', `whsec_${Buffer.alloc(64, 1).toString('base64')}`],
])('%s is a valid webhook secret', (_, secret) => {
  const { sink } = sinkOf(`[[webhook]]\n${services.webhook}\nsecret = "${secret}"`, 'webhook');
  expect(sink).toMatchObject({ settings: { secret } });
});

test.each([
  ['token = "1:abc"\nchat = -100123', /^$/],
  ['token = "1:abc"\nchat = "@channel"\nurl = "https://bots.example.org"', /^$/],
  ['token = "secret"\nchat = 1', /^telegram 1\.token: use the token that @BotFather shows/],
  ['token = "1:abc"\nchat = "me"', /^telegram 1\.chat: use the number of a chat/],
])('telegram with the settings %j has the problem %s', (settings, problem) => {
  const { sink, problems } = sinkOf(`[[telegram]]\n${settings}`, 'telegram');
  expect(problems[0] ?? '').toMatch(problem);
  expect(sink === undefined).toBe(problems.length > 0);
});

const keyOf = (settings: string) => sinkOf(`[[ntfy]]\n${settings}`, 'ntfy').sink?.key;

test('a new token or policy is the same target, another address is not', () => {
  const key = keyOf('topic = "t"');
  expect(keyOf('topic = "t"\ntoken = "x"\nlevel = "error"')).toBe(key);
  expect(keyOf('topic = "u"')).not.toBe(key);
});

const NONE = /^$/;
const ASKS = /set insecure_http = true/;
const REFUSES = /http:\/\/ is only for this machine and private networks/;
const OTHER = /use an https:\/\/ URL\.$/;

test.each([
  ['https://example.org/x', NONE, NONE],
  ['http://localhost:8080/', NONE, NONE],
  ['http://127.0.0.1/', NONE, NONE],
  ['http://192.168.1.5:8080/', ASKS, NONE],
  ['http://10.0.0.1/', ASKS, NONE],
  ['http://100.101.102.103/', ASKS, NONE],
  ['http://[fd00::1]/', ASKS, NONE],
  ['http://ntfy.lan/', ASKS, NONE],
  ['http://172.32.0.2/', REFUSES, REFUSES],
  ['http://127.0.0.1.example.org/', REFUSES, REFUSES],
  ['file:///etc/passwd', OTHER, OTHER],
  ['nonsense', OTHER, OTHER],
])('a webhook at %s has the problem %s, with insecure_http %s', (url, problem, insecure) => {
  for (const [setting, expected] of [
    ['', problem],
    ['insecure_http = true', insecure],
  ] as const) {
    const { sink, problems } = sinkOf(`[[webhook]]\nurl = "${url}"\n${setting}`, 'webhook');
    expect(problems[0] ?? '').toMatch(expected);
    expect(sink === undefined).toBe(problems.length > 0);
  }
});

test('services of one kind get different names', () => {
  const toml =
    '[[ntfy]]\ntopic = "a"\n[[ntfy]]\ntopic = "b"\n[[ntfy]]\nname = "x"\ntopic = "c"\n[[ntfy]]\nname = "x"\ntopic = "d"';
  const { sinks } = planOf(toml);
  expect(sinks.map(({ name }) => name).slice(3)).toStrictEqual(['ntfy', 'ntfy 2', 'ntfy x', 'ntfy x (2)']);
});

const example: Example = {
  level: 'warn',
  context: 'safety',
  caller: 'Claude Code · shop-api',
  project: 'shop-api',
  client: 'claude-code',
};

test.each([
  ['project = "shop-*"', 0, 0],
  ['project = ["pay", "SHOP-API"]', 0, 0],
  ['project = "shop.api"', 0, -1],
  ['caller = "claude-code"', 0, 0],
  ['caller = "Claude Code*"', 0, 0],
  ['caller = "Codex*"', 0, -1],
  ['context = "Safety"', 0, 0],
  ['context = "Saf*"', 0, 0],
  ['context = "safe"', 0, -1],
  ['level = "warn"', 0, 0],
  ['level = "error"', 0, -1],
  ['away = "2m"', 120_000, 0],
  ['away = "2m"', 119_999, -1],
  ['away = "2m"', undefined, -1],
  ['away = false', undefined, 0],
  ['project = "shop-*"\nlevel = "error"', 0, -1],
])('the rule %j after %s ms without input fits as index %i', (conditions, idleMs, index) => {
  const { rules, problems } = planOf(`[[rule]]\n${conditions}\nto = ["desktop"]`);
  expect(problems).toStrictEqual([]);
  expect(ruleFor(rules, example, idleMs)).toBe(index);
});

test('the first rule that fits decides', () => {
  const { rules } = planOf(
    ['project = "pay"\nto = []', 'level = "warn"\nto = ["desktop"]', 'to = []']
      .map((each) => `[[rule]]\n${each}\n`)
      .join(''),
  );
  expect(ruleFor(rules, example, 0)).toBe(1);
  expect(ruleFor(rules, { ...example, level: 'info' }, 0)).toBe(2);
});

test.each([
  ['to = ["ntfy"]', /^rule 1\.to: ntfy is not a sink here\. Use one of: desktop\.$/],
  ['to = ["file"]', /^rule 1\.to: file is not a sink here/],
  ['to = "desktop"', /^rule 1\.to: use a list of sinks, for example \["ntfy"\]\.$/],
  ['project = 3\nto = []', /^rule 1\.project: use a name or a list of names/],
  ['away = "soon"\nto = []', /^rule 1\.away: use a duration/],
])('the rule %j is reported', (toml, problem) => {
  expect(planOf(`[[rule]]\n${toml}`).problems[0]).toMatch(problem);
});

test('escalate = false is as without it', () => {
  expect(planOf('[[rule]]\nto = ["desktop"]\nescalate = false').rules[0]?.escalate).toBeUndefined();
});
