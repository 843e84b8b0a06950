import { expect, test } from 'vitest';
import { LEVELS } from '../notification/notification.ts';
import { createFilter, parseFilter } from './filter.ts';

function passedLevels(filter: string, context = 'llm'): string {
  const isWanted = createFilter(parseFilter(filter).directives);
  return LEVELS.filter((level) => isWanted(level, context)).join(' ');
}

test.each([
  ['', 'info warn error'],
  ['warn', 'warn error'],
  ['WARN', 'warn error'],
  ['off', ''],
  ['trace', 'info warn error'],
  ['llm_notify', 'info warn error'],
  ['off,llm_notify=info', 'info warn error'],
  ['llm_notify::warn=off', 'info error'],
  ['llm_notify=off,llm_notify::warn=warn', 'warn'],
  ['llm_notifyx=off', 'info warn error'],
  ['info,off', ''],
  ['llm_notify=2', 'warn error'],
  [' warn , llm_notify::info=info ', 'info warn error'],
])('the filter %j passes the levels %j', (filter, levels) => {
  expect(passedLevels(filter)).toBe(levels);
});

const example = 'info,llm_notify=info,llm_notify::warn=off,[{context=analysis}]=off';
test.each([
  [example, 'llm', 'info error'],
  [example, 'analysis', ''],
  ['[{context=analysis}]=off', 'safety', 'info warn error'],
  ['error,[{context=safety}]=info', 'safety', 'info warn error'],
  ['error,[{context=safety}]', 'safety', 'info warn error'],
  ['error,llm_notify[{context=safety}]=warn', 'safety', 'warn error'],
  ['llm_notify::warn=off,[{context=safety}]=info', 'safety', 'info warn error'],
  ['[{context=safety}]=info,llm_notify::warn[{context=safety}]=off', 'safety', 'info error'],
  ['[{context="code review, deep"}]=off', 'code-review-deep', ''],
  ['[{ context = Safety }]=off', 'safety', ''],
])('the filter %j passes in the context %s the levels %j', (filter, context, levels) => {
  expect(passedLevels(filter, context)).toBe(levels);
});

test.each([
  'loud',
  'a b=info',
  '[{level=info}]=off',
  '[{context=a]=off',
  '=info=',
  'llm_notify::WARN=off',
  'llm_notify=9',
])('the directive %j is reported and ignored, and the others apply', (bad) => {
  const { directives, problems } = parseFilter(`warn,${bad},llm_notify::error=off`);
  expect(problems).toStrictEqual([expect.stringContaining(bad)]);
  expect(directives).toHaveLength(2);
  expect(passedLevels(`warn,${bad}`)).toBe('warn error');
});
