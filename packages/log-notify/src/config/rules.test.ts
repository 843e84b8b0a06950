import { expect, test } from 'vitest';
import { parseConfiguration } from './parse-config.ts';
import { buildPlan } from './plan.ts';
import { type Example, ruleFor } from './rules.ts';

function planOf(toml: string) {
  const { configuration, problems } = parseConfiguration(toml);
  if (configuration === undefined) throw new Error(problems.join('\n'));
  const plan = buildPlan(configuration, { filter: undefined, file: undefined }, '/default.jsonl');
  return { rules: plan.rules, problems: [...problems, ...plan.problems] };
}

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
  ['context = "saf-*"', 0, -1],
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
