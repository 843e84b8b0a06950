import { promptDefiner } from '@deskside/core';
import { z } from 'zod';
import type { LogNotify } from '../log-notify.ts';
import { renderPrompt } from './render-prompt.ts';

const template = `Refactor this: {{ target }}
{% if complexity > 5 %}
{{ notify "Complex refactoring detected - breaking into smaller steps for safety" }}
Make each step so small that the tests pass after it, and say after each what changed.
{% else %}
Make it in one step, with the tests passing before and after.
{% endif %}
Where you find something that deserves its own change, don't make it:
{{ notify "What you found, and where", context: "discovery" }}
`;

export const refactoring = promptDefiner<LogNotify>()({
  name: 'refactoring',
  title: 'Refactor and keep me informed',
  description: 'A refactoring, in smaller steps the more complex it is, with notifications on the way',
  arguments: z.object({
    target: z.string().min(1).describe('What is to be refactored'),
    complexity: z.coerce
      .number({ error: 'use a number from 1 to 10' })
      .min(1, { error: 'use a number from 1 to 10' })
      .max(10, { error: 'use a number from 1 to 10' })
      .default(3)
      .describe('How complex it is, from 1 to 10; above 5 it is done in small steps. Default 3'),
  }),
  run: (values, _logNotify, { toolName }) => renderPrompt(template, values, toolName),
});
