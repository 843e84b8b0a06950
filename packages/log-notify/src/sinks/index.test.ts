import { expect, test } from 'vitest';
import { parseConfiguration } from '../config/parse-config.ts';
import { servicesFrom } from '../config/plan.ts';
import { defaultPaths } from '../options.ts';
import { testHost } from '../testing/post-of.ts';
import type { Settings } from './define-sink.ts';
import { sinks, sinkVariables } from './index.ts';

/** The settings of an example of `init`, which starts with a sentence. */
function exampleOf(kind: string): Settings {
  const { example = '' } = sinks.find((sink) => sink.kind === kind) ?? {};
  const toml = example.slice(example.indexOf('[')).replaceAll('…', 'A'.repeat(40));
  const { configuration, problems } = parseConfiguration(toml);
  expect(problems).toStrictEqual([]);
  const [settings] = configuration?.sinks[kind] ?? [];
  if (settings === undefined) throw new Error(`the example of ${kind} has no [${kind}]`);
  return settings;
}

test.each(sinks)(
  'the example of $kind can be opened, and its description shows none of its secrets',
  (sink) => {
    const settings = exampleOf(sink.kind);
    expect(sink.open({ path: defaultPaths().file, ...settings }, testHost).timeoutMs).toBeGreaterThan(0);
    // Each service has one.
    expect(sink.secrets.length > 0).toBe(sink.local === undefined);
    const shown = sink.describe(settings);
    expect(shown).not.toBe('');
    for (const secret of sink.secrets.filter((setting) => settings[setting] !== undefined)) {
      expect(shown).not.toContain(String(settings[secret]));
    }
  },
);

const withVariables = sinks.filter(({ variables }) => Object.keys(variables).length > 0);

test.each(withVariables)(
  'the variables of $kind configure it without a file',
  ({ kind, options, variables }) => {
    const values = Object.fromEntries(Object.keys(options).map((name) => [name, 'x']));
    const settings = Object.fromEntries(Object.keys(variables).map((name) => [name, 'x']));
    expect(servicesFrom(values)).toStrictEqual({ services: { [kind]: [settings] }, problems: [] });
  },
);

test.each([
  [{ telegramChat: '1' }, 'LOG_NOTIFY_TELEGRAM_CHAT needs LOG_NOTIFY_TELEGRAM_TOKEN.'],
  [{ ntfyToken: 'tk' }, 'LOG_NOTIFY_NTFY_TOKEN needs LOG_NOTIFY_NTFY_TOPIC.'],
  [{ webhookSecret: 'whsec_x' }, 'LOG_NOTIFY_WEBHOOK_SECRET needs LOG_NOTIFY_WEBHOOK_URL.'],
])('the variables %j configure no service and are reported', (options, problem) => {
  expect(servicesFrom(options)).toStrictEqual({ services: {}, problems: [problem] });
});

test('a variable accepts what the file accepts, except http in a private network, for which it names the file', () => {
  expect(sinkVariables.ntfyUrl.safeParse('https://ntfy.lan').success).toBe(true);
  expect(sinkVariables.ntfyUrl.safeParse('http://localhost:1').success).toBe(true);
  const { error } = sinkVariables.ntfyUrl.safeParse('http://ntfy.lan');
  expect(error?.issues[0]?.message).toContain('in log-notify.toml with insecure_http = true');
  expect(sinkVariables.telegramChat.parse(5)).toBe('5');
});
