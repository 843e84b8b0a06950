import { describe, expect, test } from 'vitest';
import { manualClock } from '../testing/manual-clock.ts';
import { openPolicy, told } from '../testing/notifications.ts';
import { Gate, unwanted } from './gate.ts';
import type { Policy } from './policy.ts';

function gateWith(policy: Partial<Policy>, clock = manualClock()) {
  const summaries: string[] = [];
  const gate = new Gate({ ...openPolicy, ...policy }, clock, ({ level, message }) =>
    summaries.push(`${level}: ${message}`),
  );
  return { gate, clock, summaries };
}

function at(hours: number, minutes = 0): number {
  return new Date(2026, 5, 10, hours, minutes).getTime();
}

test('level and contexts decide what a sink is never told', () => {
  const policy: Policy = {
    ...openPolicy,
    level: 'warn',
    contexts: ['safety', 'llm'],
    excludeContexts: ['llm'],
  };
  expect(unwanted(policy, told('a', 'info', 'safety'))).toBe('level');
  expect(unwanted(policy, told('a', 'warn', 'safety'))).toBeUndefined();
  expect(unwanted(policy, told('a', 'error', 'analysis'))).toBe('context');
  expect(unwanted(policy, told('a', 'error', 'llm'))).toBe('context');
});

describe('the rate', () => {
  test('lets a burst through, then as many a minute, and sums up what it held back', () => {
    const { gate, clock, summaries } = gateWith({ rate: { burst: 3, perMinute: 2 } });
    const reasons = ['a', 'b', 'c', 'd', 'e'].map((message) => gate.pass(told(message)));
    expect(reasons).toStrictEqual([undefined, undefined, undefined, 'rate', 'rate']);
    clock.advance(30_000);
    expect(gate.pass(told('f'))).toBeUndefined();
    expect(gate.pass(told('g', 'warn'))).toBe('rate');
    expect(summaries).toStrictEqual([]);
    clock.advance(30_000);
    expect(summaries).toStrictEqual([
      'warn: 3 notifications were held back in 60 s (2 info, 1 warn). Latest: d | e | g',
    ]);
  });

  test('errors have a reserve of their own', () => {
    const { gate } = gateWith({ rate: { burst: 2, perMinute: 1 } });
    const infos = Array.from({ length: 1000 }, (_, index) => gate.pass(told(`info ${index}`)));
    expect(infos.filter((reason) => reason === undefined)).toHaveLength(2);
    expect([1, 2, 3].map((index) => gate.pass(told(`error ${index}`, 'error')))).toStrictEqual([
      undefined,
      undefined,
      'rate',
    ]);
  });
});

describe('folding', () => {
  test('lets the first of many alike through, and counts the others', () => {
    const { gate, clock, summaries } = gateWith({ fold: 60_000 });
    const at = (message: string) => told(message, 'info', 'llm', clock.now());
    expect(gate.pass(at('Processed file 1 of 47 in /src/a.ts'))).toBeUndefined();
    for (let file = 2; file <= 38; file += 1) {
      expect(gate.pass(at(`Processed file ${file} of 47 in /src/b${file}.ts`))).toBe('duplicate');
    }
    expect(gate.pass(at('Something else'))).toBeUndefined();
    clock.advance(60_000);
    expect(summaries).toStrictEqual(['info: Processed file 1 of 47 in /src/a.ts (+37 similar in 60 s)']);
    expect(gate.pass(at('Processed file 39 of 47 in /src/a.ts'))).toBeUndefined();
  });

  test('levels, contexts and errors that differ are told apart', () => {
    const { gate } = gateWith({ fold: 60_000 });
    const all = [
      told('line 1', 'info'),
      told('line 1', 'warn'),
      told('line 1', 'info', 'safety'),
      told('line 1', 'error'),
      told('line 2', 'error'),
    ];
    expect(all.map((each) => gate.pass(each))).toStrictEqual(all.map(() => undefined));
    expect(gate.pass(told('line 2', 'error'))).toBe('duplicate');
  });
});

test('a digest gathers everything but errors', () => {
  const { gate, clock, summaries } = gateWith({ digest: 900_000 });
  expect(gate.pass(told('a'))).toBe('digest');
  expect(gate.pass(told('b', 'warn'))).toBe('digest');
  expect(gate.pass(told('c', 'error'))).toBeUndefined();
  clock.advance(899_999);
  expect(summaries).toStrictEqual([]);
  clock.advance(1);
  expect(summaries).toStrictEqual([
    'warn: 2 notifications were held back in 15 min (1 info, 1 warn). Latest: a | b',
  ]);
});

describe('quiet hours', () => {
  const quietHours = { from: 22 * 60, to: 7 * 60 };
  test.each([
    [21, 59, undefined],
    [22, 0, 'quiet hours'],
    [23, 30, 'quiet hours'],
    [3, 0, 'quiet hours'],
    [6, 59, 'quiet hours'],
    [7, 0, undefined],
    [12, 0, undefined],
  ] as const)('at %i:%i an info is held for: %s', (hours, minutes, reason) => {
    const { gate } = gateWith({ quietHours }, manualClock(at(hours, minutes)));
    expect(gate.pass(told('a', 'info'))).toBe(reason);
    expect(gate.pass(told('a', 'error'))).toBeUndefined();
  });

  test('end with a summary', () => {
    const { gate, clock, summaries } = gateWith({ quietHours }, manualClock(at(23)));
    gate.pass(told('a'));
    clock.advance(8 * 3_600_000 - 1);
    expect(summaries).toStrictEqual([]);
    clock.advance(1);
    expect(summaries).toStrictEqual(['info: 1 notification was held back in 8 h (1 info). Latest: a']);
  });
});

test('closing lets every summary out', () => {
  const { gate, summaries } = gateWith({ fold: 60_000, rate: { burst: 1, perMinute: 1 } });
  for (const message of ['a', 'a', 'b']) gate.pass(told(message));
  gate.flush();
  expect(summaries).toHaveLength(2);
  gate.flush();
  expect(summaries).toHaveLength(2);
});
