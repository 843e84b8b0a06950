import { defineCommand, thisProcess } from '@deskside/core/program';
import { messageOf, StartError } from '@deskside/core/errors';
import * as z from 'zod';
import type { Plan, SinkPlan } from '../config/plan.ts';
import { type Example, type Rule, ruleFor } from '../config/rules.ts';
import { durationText } from '../notification/summary.ts';
import { rejectionReason } from '../delivery/limits.ts';
import { type Directive, createFilter } from '../config/filter.ts';
import {
  createNotification,
  DEFAULT_CONTEXT,
  KNOWN_CONTEXTS,
  knownLevel,
  LEVELS,
  type Level,
  type Notification,
  normalizeContext,
  OWN_CONTEXT,
} from '../notification/notification.ts';
import { escapeLine } from '../notification/safe-text.ts';
import { logNotifyOptions } from '../options.ts';
import type { Policy } from '../sinks/define-sink.ts';
import { duration } from '../sinks/fields.ts';
import { sinkHost } from '../sinks/host.ts';
import type { Sink } from '../sinks/sink.ts';
import { loadPlan } from './load-plan.ts';

const TEST_MESSAGE = 'This is a test of deskside-log-notify. If you can read it, this sink works.';

export const check = defineCommand({
  options: logNotifyOptions,
  flags: {
    send: z
      .boolean()
      .default(false)
      .meta({ description: 'Send a test notification to each sink, and show which ones accept it.' }),
    for: z.string().min(1).optional().meta({
      placeholder: 'EXAMPLE',
      description:
        'Show who gets such a notification: words like level=error, context=safety, project=shop, caller=Codex and away=5m.',
    }),
  },
  details:
    'The command reads the configuration as the server does. Without --send it sends nothing. The exit code is 1 if the configuration has problems, or if a sink refuses the test.',
  examples: [
    'deskside-log-notify check',
    'deskside-log-notify check --send',
    "deskside-log-notify check --for 'level=error project=shop away=5m'",
    'deskside-log-notify check --config ./log-notify.toml',
  ],
  async run({ send, for: words, ...settings }, { print }) {
    const example = words === undefined ? undefined : parseExample(words);
    const { path, plan, problems: found } = loadPlan(settings);
    const sinks = plan.sinks.map(opened);
    const problems = [
      ...found,
      ...sinks.flatMap(({ name, problem }) => (problem === undefined ? [] : [`${name}: ${problem}`])),
    ];
    print(`Configuration: ${path}`);
    for (const problem of problems) print(`  problem: ${problem}`);
    if (problems.length === 0) print('  no problems');
    const section = (title: string, lines: readonly string[]) => {
      for (const line of ['', title, ...lines.map((each) => `  ${each}`)]) print(line);
    };
    section('Sinks:', (await Promise.all(sinks.map(describeSink))).flat());
    const working = sinks.filter(({ unavailable }) => unavailable === undefined);
    section('Sinks by level:', describeRoutes(plan.directives, working));
    const rules = plan.rules.map((rule, index) => `${index + 1}. ${describeRule(rule)}`);
    if (rules.length > 0) section('Rules, of which the first that fits decides:', rules);
    if (example !== undefined) section(`Example: ${words}`, describeExample(plan, sinks, example));
    const failed = send ? await sendTests(sinks, print) : 0;
    if (problems.length > 0) throw new StartError('The configuration has problems.');
    if (failed > 0) throw new StartError('A sink did not accept the test notification.');
  },
});

type Opened = ReturnType<typeof opened>;

/** A sink as the server opens it, with why it cannot be opened, or why it cannot work now. */
function opened(plan: SinkPlan) {
  const { stderr, env } = thisProcess();
  const { definition, settings } = plan;
  try {
    const sink = definition.open(settings, sinkHost({ stderr, env, report: () => undefined }));
    return { ...plan, sink, problem: undefined, unavailable: sink.unavailable?.() };
  } catch (error) {
    const problem = messageOf(error);
    return { ...plan, sink: undefined, problem, unavailable: problem };
  }
}

/** Sends one notification to each sink, past its filter and its limits. @returns how many sinks failed */
async function sendTests(sinks: readonly Opened[], print: (line: string) => void): Promise<number> {
  print('');
  print('Test:');
  const input = { level: 'warn', context: OWN_CONTEXT, message: TEST_MESSAGE, caller: 'check' } as const;
  let failed = 0;
  for (const { name, sink, problem } of sinks) {
    const failure =
      sink === undefined ? problem : await failureOf(sink, createNotification(input, Date.now()));
    if (failure !== undefined) failed += 1;
    print(`  ${name}: ${failure ?? 'accepted the notification'}`);
  }
  return failed;
}

async function failureOf(sink: Sink, sent: Notification): Promise<string | undefined> {
  try {
    await sink.deliver([sent], AbortSignal.timeout(sink.timeoutMs));
    return undefined;
  } catch (error) {
    return escapeLine(messageOf(error));
  }
}

async function describeSink({ name, definition, settings, policy, unavailable }: Opened): Promise<string[]> {
  const state = unavailable === undefined ? definition.describe(settings) : `not available: ${unavailable}`;
  const note = (await definition.local?.examine(settings, thisProcess()))?.note;
  return [
    `${name}: ${state}`,
    `  ${describePolicy(policy).join('; ')}`,
    ...(note === undefined ? [] : [`  ${note}`]),
  ];
}

/** One line per level with the sinks that get it, and one per context that differs. */
function describeRoutes(directives: readonly Directive[], sinks: readonly SinkPlan[]): string[] {
  const isWanted = createFilter(directives);
  const sinksFor = (level: Level, context: string) => {
    const names = sinks
      .filter(({ policy }) => rejectionReason(policy, { level, context }) === undefined)
      .map(({ name }) => name);
    return isWanted(level, context) && names.length > 0 ? names.join(', ') : 'none';
  };
  return LEVELS.flatMap((level) => {
    const usual = sinksFor(level, DEFAULT_CONTEXT);
    const different = KNOWN_CONTEXTS.filter((context) => sinksFor(level, context) !== usual);
    return [`${level.padEnd(5)} ${usual}`].concat(
      different.map((context) => `      context ${context}: ${sinksFor(level, context)}`),
    );
  });
}

/** @throws StartError if a word is not `name=value`, or its value is not valid */
function parseExample(words: string): Example & { readonly idleMs: number | undefined } {
  const settings = new Map<string, string>();
  for (const [, name = '', quoted, plain = ''] of words.matchAll(EXAMPLE_WORD)) {
    settings.set(name, quoted ?? plain);
  }
  const rest = words.replaceAll(EXAMPLE_WORD, '').trim();
  const unknown = [...settings.keys()].find((name) => !EXAMPLE_NAMES.includes(name));
  if (unknown !== undefined || rest !== '' || settings.size === 0) {
    throw new StartError(`Use words like level=error in --for. Names: ${EXAMPLE_NAMES.join(', ')}.`);
  }
  const level = knownLevel(settings.get('level') ?? 'info');
  if (level === undefined) throw new StartError(`Use ${LEVELS.join(', ')} for level in --for.`);
  const away = settings.get('away');
  const parsedAway = away === undefined ? undefined : duration().safeParse(away);
  if (parsedAway?.success === false) throw new StartError('Use a duration such as 5m for away in --for.');
  return {
    level,
    context: normalizeContext(settings.get('context')),
    idleMs: parsedAway?.data,
    caller: settings.get('caller') ?? '',
    project: settings.get('project') ?? '',
  };
}

const EXAMPLE_WORD = /(\S+?)=(?:"([^"]*)"(?=\s|$)|((?!")\S*))/g;
const EXAMPLE_NAMES = ['level', 'context', 'project', 'caller', 'away'];

/** Who gets it, by which rule, and why the other sinks do not. */
function describeExample(
  { directives, rules }: Plan,
  sinks: readonly Opened[],
  example: ReturnType<typeof parseExample>,
): readonly string[] {
  if (!createFilter(directives)(example.level, example.context)) return ['none: the filter'];
  const index = ruleFor(rules, example, example.idleMs);
  const rule = rules[index];
  // The server passes over what does not exist or cannot be opened.
  const usable = sinks.filter(({ problem }) => problem === undefined);
  const named = rule?.to.filter((name) => usable.some((sink) => sink.name === name)) ?? [];
  const working = usable.filter(({ unavailable }) => unavailable === undefined);
  return working.map((sink) => {
    if (rule === undefined || sink.isLog) {
      const reason = rejectionReason(sink.policy, example);
      return `${sink.name}: ${reason === undefined ? 'yes' : `no (${reason})`}`;
    }
    const place = named.indexOf(sink.name);
    const isLater = place > 0 && rule.escalate !== undefined;
    if (isLater && example.level === 'error') {
      return `${sink.name}: if it is not seen for ${durationText(place * (rule.escalate ?? 0))} (rule ${index + 1})`;
    }
    return `${sink.name}: ${place === -1 || isLater ? 'no' : 'yes'} (rule ${index + 1})`;
  });
}

function describeRule({ project, caller, context, level, away, to, escalate }: Rule): string {
  const conditions = [
    ...(project === undefined ? [] : [`project ${project.join(' or ')}`]),
    ...(caller === undefined ? [] : [`caller ${caller.join(' or ')}`]),
    ...(context === undefined ? [] : [`context ${context.join(' or ')}`]),
    ...(level === undefined ? [] : [`${level} and above`]),
    ...(away === undefined ? [] : [`no input for ${durationText(away)}`]),
  ];
  const [first, ...next] = to;
  const whom =
    escalate === undefined || next.length === 0
      ? to.join(', ') || 'no one'
      : `${first}; an error that is not seen for ${durationText(escalate)}: ${next.join(', then ')}`;
  return `${conditions.join(', ') || 'everything'}: ${whom}`;
}

function describePolicy(policy: Policy): string[] {
  const { level, contexts, excludeContexts, rate, foldMs, digestMs, quietHours } = policy;
  return [
    level === 'error' ? 'error only' : `${level} and above`,
    contexts.length === 0 ? [] : `only ${contexts.join(', ')}`,
    excludeContexts.length === 0 ? [] : `not ${excludeContexts.join(', ')}`,
    rate === undefined ? 'no rate limit' : `up to ${rate.burst} at once, then ${rate.perMinute} per minute`,
    foldMs === 0 ? [] : `repeats merged for ${durationText(foldMs)}`,
    digestMs === 0 ? [] : `one summary every ${durationText(digestMs)}, except errors`,
    quietHours === undefined
      ? []
      : `quiet from ${timeText(quietHours.from)} to ${timeText(quietHours.to)}, except errors`,
  ].flat();
}

function timeText(minutesAfterMidnight: number): string {
  const hours = Math.floor(minutesAfterMidnight / 60);
  return `${String(hours).padStart(2, '0')}:${String(minutesAfterMidnight % 60).padStart(2, '0')}`;
}
