import { expect, test } from 'vitest';
import { parseConfiguration } from './parse-config.ts';
import { buildPlan } from './plan.ts';

function sinkOf(toml: string, name: string) {
  const { configuration, problems } = parseConfiguration(toml);
  if (configuration === undefined) throw new Error(problems.join('\n'));
  const { sinks } = buildPlan(configuration, { filter: undefined, file: undefined }, '/default.jsonl');
  return { sink: sinks.find((sink) => sink.name === name), problems };
}

test.each([
  ['[file]\nmax_size = "500kB"\nkeep = 2\npath = "/x"', { path: '/x', max_size: 500_000, keep: 2 }],
  ['[file]\nmax_size = 2048', { path: '/default.jsonl', max_size: 2048, keep: 5 }],
])('the section %j configures the file sink', (toml, settings) => {
  expect(sinkOf(toml, 'file')).toMatchObject({ sink: { target: { settings } }, problems: [] });
});

test.each([
  ['fold = "90s"', { foldMs: 90_000 }],
  ['fold = false', { foldMs: 0 }],
  ['digest = "1.5h"', { digestMs: 5_400_000 }],
  ['rate = false', { rate: undefined }],
  ['rate = { burst = 1, per_minute = 0.5 }', { rate: { burst: 1, perMinute: 0.5 } }],
  ['contexts = ["Safety", "code review"]', { contexts: ['safety', 'code-review'] }],
  ['level = "error"', { level: 'error' }],
])('the setting %s in [desktop] configures the policy', (setting, policy) => {
  expect(sinkOf(`[desktop]\n${setting}`, 'desktop')).toMatchObject({ sink: { policy }, problems: [] });
});

test.each([
  ['[desktop]\nfold = "soon"', /desktop\.fold: use a duration/],
  ['[desktop]\nrate = 5', /desktop\.rate: use \{ burst/],
  ['[file]\nmax_size = "big"', /file\.max_size: use a size/],
  ['[file]\nkeep = 0', /file\.keep: use a whole number from 1 to 100\.$/],
  ['[file]\npath = ""', /file\.path: use the absolute path of a file\.$/],
  ['[file]\npath = "~/notify.jsonl"', /file\.path: use the absolute path of a file\.$/],
  ['[desktop]\ncontexts = [1]', /desktop\.contexts\.0: use a list of contexts/],
  ['[file]\ncolor = 1', /Unknown setting file\.color\. Valid settings: enabled/],
  ['desktop = true', /desktop must be a table, for example \[desktop\]/],
  ['filter = 5', /filter: use a string/],
  ['[tracing]\ntargets = "info"', /tracing\.targets: use a list of \{ name/, /tracing is ignored/],
  [
    '[tracing]\ntargets = [{ name = "llm_notify", level = "loud" }]',
    /tracing\.targets 1\.level: use one of off, error, warn, info, debug, trace\.$/,
    /tracing\.targets 1 is ignored\.$/,
  ],
  [
    '[quiet_hours]\nfrom = "22:00"\nto = "22:00"',
    /quiet_hours\.to: use a time different from "from"\.$/,
    /quiet_hours is ignored\.$/,
  ],
  ['"\\u001b[2J" = 1', /^Unknown key \\x1b\[2J\. Valid keys: filter/],
])('the invalid setting %j is reported, and every sink still exists', (toml, ...expected) => {
  const { configuration, problems } = parseConfiguration(toml);
  if (configuration === undefined) throw new Error('unusable');
  const plan = buildPlan(configuration, { filter: undefined, file: undefined }, '/default.jsonl');
  expect([...problems, ...plan.problems]).toStrictEqual(
    expected.map((problem) => expect.stringMatching(problem)),
  );
  expect(plan.sinks.map(({ name }) => name)).toStrictEqual(['stderr', 'file', 'desktop']);
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

const services = {
  webhook: 'url = "https://example.org/"',
  apprise: 'url = "https://example.org/"\nkey = "k"',
  ntfy: 'topic = "desk"',
};

test.each([
  [
    'webhook',
    'secret = "whsec_!!!"',
    /secret: use whsec_ and the base64 of 24 to 64 bytes\. Create one with: echo/,
  ],
  ['webhook', 'secret = "whsec_c2hvcnQ="', /secret: use whsec_/],
  ['webhook', `secret = "whsec_${'A'.repeat(36)}!!!!"`, /secret: use whsec_/],
  ['webhook', `secret = "whsec_${'A'.repeat(88)}"`, /secret: use whsec_/],
  ['webhook', 'contexts = "safety"', /contexts: use a list/],
  ['webhook', 'name = "a/b"', /name: use up to 40 letters/],
  [
    'webhook',
    'headers = { Content-Type = "text/plain" }',
    /headers\.Content-Type: this header cannot be set/,
  ],
  ['webhook', 'headers = { "Webhook-Signature" = "v1,x" }', /Webhook-Signature: this header cannot be set/],
  ['apprise', 'headers = { "a b" = "x" }', /headers\.a b: use letters/],
  ['apprise', 'headers = { "a\\u001b" = "x" }', /headers\.a\\x1b: use letters/],
  ['apprise', 'headers = { a = "x\\ny" }', /headers\.a: use printable ASCII/],
  ['apprise', 'headers = "a: b"', /headers: use a table such as/],
  ['apprise', 'tag = ""', /tag: use a tag/],
  ['ntfy', 'token = "tk_\\u0001hidden"', /token: use the token exactly as the service shows it/],
  ['ntfy', 'enabled = "no"', /enabled: use true or false/],
] as const)('a %s with the invalid %s is ignored as a whole', (kind, setting, problem) => {
  const toml = `[[${kind}]]\n${services[kind]}\n`;
  expect(sinkOf(toml, kind)).toMatchObject({ sink: { target: { definition: { kind } } }, problems: [] });
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
  expect(sink).toMatchObject({ target: { settings: { secret } } });
});

test.each([
  ['http://192.168.1.5:8080/', true],
  ['http://100.101.102.103/', true],
  ['http://[fd00::1]/', true],
  ['http://ntfy.lan/', true],
  ['http://172.32.0.2/', false],
  ['http://example.org/', false],
  ['http://10.0.0.1.example.org/', false],
])('with insecure_http, a webhook at %s is allowed: %s', (url, isAllowed) => {
  const { sink, problems } = sinkOf(`[[webhook]]\nurl = "${url}"\ninsecure_http = true`, 'webhook');
  expect(sink !== undefined).toBe(isAllowed);
  expect(problems.join('\n')).toMatch(
    isAllowed ? /^$/ : /http:\/\/ is only for this machine and private networks/,
  );
});

test('a private http address without insecure_http is refused with the name of the setting', () => {
  const { sink, problems } = sinkOf('[[ntfy]]\ntopic = "t"\nurl = "http://ntfy.lan"', 'ntfy');
  expect(sink).toBeUndefined();
  expect(problems.join('\n')).toMatch(/set insecure_http = true/);
});

test.each([
  ['[[slack]]\nurl = "https://hooks.slack.com/services/x"', 'slack'],
  ['[[discord]]\nurl = "https://discord.com/api/webhooks/1/x"', 'discord'],
  ['[[telegram]]\ntoken = "1:abc"\nchat = -100123', 'telegram'],
  ['[[telegram]]\ntoken = "1:abc"\nchat = "@channel"\nurl = "https://bots.example.org"', 'telegram'],
])('the table %j configures the sink %s', (toml, name) => {
  expect(sinkOf(toml, name)).toMatchObject({
    sink: { target: { definition: { kind: name } } },
    problems: [],
  });
});

test.each([
  ['telegram', 'token = "secret"\nchat = 1', /telegram 1\.token: use the token that @BotFather shows/],
  ['telegram', 'token = "1:abc"\nchat = "me"', /telegram 1\.chat: use the number of a chat/],
  ['webhook', 'url = "https://example.org"\nbody = ""', /webhook 1\.body: use a Liquid template/],
  [
    'webhook',
    'url = "https://example.org"\ncontent_type = "text"',
    /webhook 1\.content_type: use a type such as/,
  ],
  ['ntfy', 'topic = "t"\nfold = "30d"', /ntfy 1\.fold: use a duration .* at most "7d"/],
])('a %s with the setting %j is refused', (kind, settings, problem) => {
  const { problems } = sinkOf(`[[${kind}]]\n${settings}`, kind);
  expect(problems[0]).toMatch(problem);
});

const keyOf = (settings: string) => sinkOf(`[[ntfy]]\n${settings}`, 'ntfy').sink?.key;

test('a new token or policy is the same target, another address is not', () => {
  const key = keyOf('topic = "t"');
  expect(keyOf('topic = "t"\ntoken = "x"\nlevel = "error"')).toBe(key);
  expect(keyOf('topic = "u"')).not.toBe(key);
});

test.each([
  ['exclude_contexts = ["safety"]', ['safety']],
  ['', []],
])('with %j a sink leaves out the contexts %j', (settings, contexts) => {
  const { sink } = sinkOf(`[[ntfy]]\ntopic = "t"\n${settings}`, 'ntfy');
  expect(sink?.policy.excludeContexts).toStrictEqual(contexts);
});

test.each([
  ['https://example.org/x', true],
  ['http://localhost:8080/', true],
  ['http://127.0.0.1/', true],
  ['http://example.org/', false],
  ['http://127.0.0.1.example.org/', false],
  ['http://10.0.0.1/', false],
  ['file:///etc/passwd', false],
  ['nonsense', false],
])('a webhook at %s is allowed: %s', (url, isAllowed) => {
  expect(sinkOf(`[[webhook]]\nurl = ${JSON.stringify(url)}`, 'webhook').sink !== undefined).toBe(isAllowed);
});

test('services of one kind get different names', () => {
  const toml =
    '[[ntfy]]\ntopic = "a"\n[[ntfy]]\ntopic = "b"\n[[ntfy]]\nname = "x"\ntopic = "c"\n[[ntfy]]\nname = "x"\ntopic = "d"';
  const { configuration } = parseConfiguration(toml);
  const plan = configuration && buildPlan(configuration, { filter: undefined, file: undefined }, '/x');
  expect(plan?.sinks.map(({ name }) => name).slice(3)).toStrictEqual([
    'ntfy',
    'ntfy 2',
    'ntfy x',
    'ntfy x (2)',
  ]);
});
