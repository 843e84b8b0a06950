import { defineCommand, thisProcess } from '@deskside/core/program';
import { messageOf, StartError } from '@deskside/core/errors';
import * as z from 'zod';
import { isChosenByRules, type Plan, type SinkPlan, type SinkTarget } from '../config/plan.ts';
import { type Example, type Rule, ruleFor } from '../config/rules.ts';
import { durationText } from '../delivery/summary.ts';
import { rejectionReason } from '../delivery/pipeline.ts';
import { type Directive, createFilter } from '../config/filter.ts';
import {
  createNotification,
  DEFAULT_CONTEXT,
  KNOWN_CONTEXTS,
  knownLevel,
  LEVELS,
  type Level,
  normalizeContext,
  OWN_CONTEXT,
} from '../notification/notification.ts';
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
    const problems = [...found, ...plan.sinks.flatMap(openingProblem)];
    print(`Configuration: ${path}`);
    for (const problem of problems) print(`  problem: ${problem}`);
    if (problems.length === 0) print('  no problems');
    print('');
    print('Sinks:');
    const reasons = new Map(plan.sinks.map((sink) => [sink, unavailableReason(sink.target)]));
    for (const [sink, reason] of reasons) {
      for (const line of await describeSink(sink, reason)) print(`  ${line}`);
    }
    print('');
    print('Sinks by level:');
    const working = plan.sinks.filter((sink) => reasons.get(sink) === undefined);
    for (const line of describeRoutes(plan.directives, working)) print(`  ${line}`);
    for (const line of plan.rules.length === 0 ? [] : ['', 'Rules, of which the first that fits decides:'])
      print(line);
    for (const [index, rule] of plan.rules.entries()) print(`  ${index + 1}. ${describeRule(rule)}`);
    if (example !== undefined) {
      print('');
      print(`Example: ${words}`);
      for (const line of describeExample(plan, working, example)) print(`  ${line}`);
    }
    const failed = send ? await sendTests(plan.sinks, print) : 0;
    if (problems.length > 0) throw new StartError('The configuration has problems.');
    if (failed > 0) throw new StartError('A sink did not accept the test notification.');
  },
});

/** Sends one notification to each sink, past its filter and its limits. @returns how many sinks failed */
async function sendTests(sinks: readonly SinkPlan[], print: (line: string) => void): Promise<number> {
  print('');
  print('Test:');
  const input = { level: 'warn', context: OWN_CONTEXT, message: TEST_MESSAGE, caller: 'check' } as const;
  let failed = 0;
  for (const { name, target } of sinks) {
    const failure = await failureOf(target, () => createNotification(input, Date.now()));
    if (failure !== undefined) failed += 1;
    print(`  ${name}: ${failure ?? 'accepted the notification'}`);
  }
  return failed;
}

/** @returns the sink, or why it cannot be opened */
function openPlanned({ definition, settings }: SinkTarget): Sink | string {
  const { stderr, env } = thisProcess();
  try {
    return definition.open(settings, sinkHost({ stderr, env, report: () => undefined }));
  } catch (error) {
    return messageOf(error);
  }
}

/** As the server reports it. */
function openingProblem({ name, target }: SinkPlan): string[] {
  const sink = openPlanned(target);
  return typeof sink === 'string' ? [`${name}: ${sink}`] : [];
}

/** @returns why the sink cannot work now */
function unavailableReason(target: SinkTarget): string | undefined {
  const sink = openPlanned(target);
  return typeof sink === 'string' ? sink : sink.unavailable?.();
}

async function failureOf(
  target: SinkTarget,
  create: () => ReturnType<typeof createNotification>,
): Promise<string | undefined> {
  const sink = openPlanned(target);
  if (typeof sink === 'string') return sink;
  try {
    await sink.deliver([create()], AbortSignal.timeout(sink.timeoutMs));
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  } finally {
    await sink.close?.();
  }
}

async function describeSink(
  { name, target: { definition, settings }, policy }: SinkPlan,
  reason: string | undefined,
): Promise<string[]> {
  const state = reason === undefined ? definition.describe(settings) : `not available: ${reason}`;
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

interface ParsedExample extends Example {
  readonly idleMs: number | undefined;
}

/** @throws StartError if a word is not `name=value`, or its value is not valid */
function parseExample(words: string): ParsedExample {
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
  { directives, rules, sinks }: Plan,
  working: readonly SinkPlan[],
  example: ParsedExample,
): readonly string[] {
  if (!createFilter(directives)(example.level, example.context)) return ['none: the filter'];
  const index = ruleFor(rules, example, example.idleMs);
  const rule = rules[index];
  // The server passes over what does not exist or cannot be opened.
  const opened = sinks.filter((sink) => openingProblem(sink).length === 0);
  const named = rule?.to.filter((name) => opened.some((sink) => sink.name === name)) ?? [];
  return working.map((sink) => {
    if (rule === undefined || !isChosenByRules(sink)) {
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
