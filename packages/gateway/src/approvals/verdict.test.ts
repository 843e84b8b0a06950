import { expect, test } from 'vitest';
import { type CallFacts, verdictOn } from './verdict.ts';

const reads = { name: 'read', annotations: { readOnlyHint: true }, definition: {} };
const pays = { name: 'pay', annotations: { destructiveHint: true }, definition: {} };
const call = { tool: pays, rules: {}, level: 'ask', isSearched: false, rule: undefined, isAllowed: false };

test.each<readonly [string, Partial<CallFacts>, ReturnType<typeof verdictOn>]>([
  ['a tool that destroys', {}, 'ask'],
  ['a tool that reads', { tool: reads }, 'run'],
  ['a blocked tool with a yes', { rules: { block: ['pay'] }, isAllowed: true, rule: 'allow' }, 'refuse'],
  ['a tool with a yes', { isAllowed: true }, 'run'],
  ['a tool with a yes and a later denial', { isAllowed: true, rule: 'deny' }, 'run'],
  ['a denied tool', { rule: 'deny' }, 'refuse'],
  ['a denied tool that reads', { tool: reads, rule: 'deny' }, 'refuse'],
  ['a denied tool that reads, with a yes', { tool: reads, rule: 'deny', isAllowed: true }, 'refuse'],
  ['an allowed tool', { rule: 'allow' }, 'run'],
  ['any tool while the rules cannot be read', { tool: reads, rule: 'unknown' }, 'ask'],
  ['a tool with a yes and unknown rules', { tool: reads, rule: 'unknown', isAllowed: true }, 'run'],
  ['a caller that is not asked', { level: 'off' }, 'run'],
  ['a caller that is not asked, of a denied tool', { level: 'off', rule: 'deny' }, 'refuse'],
])('%s', (_, facts, verdict) => {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a level is one of three texts
  expect(verdictOn({ ...call, ...facts } as CallFacts)).toBe(verdict);
});
