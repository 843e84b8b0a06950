import type { z } from 'zod';

/** What to give instead of a value that does not fit, for fields that have no words of their own. */
export function wordsFor(issue: z.core.$ZodRawIssue): string {
  switch (issue.code) {
    case 'too_small':
      return issue.origin === 'string' && issue.minimum === 1
        ? 'give a value, this one is empty'
        : `use at least ${issue.minimum}${unitOf(issue.origin)}`;
    case 'too_big':
      return `use at most ${issue.maximum}${unitOf(issue.origin)}`;
    case 'invalid_value':
      return `use one of ${issue.values.join(', ')}`;
    case 'invalid_type':
      return KINDS[issue.expected] ?? UNFIT;
    default:
      return UNFIT;
  }
}

const UNFIT = 'this value does not fit';

const KINDS: Readonly<Record<string, string>> = {
  string: 'use a text',
  number: 'use a number',
  int: 'use a whole number',
  boolean: 'use true or false',
};

function unitOf(origin: string): string {
  return origin === 'string' ? ' characters' : '';
}
