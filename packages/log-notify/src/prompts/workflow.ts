import { promptDefiner } from '@deskside/core';
import { z } from 'zod';
import type { LogNotify } from '../log-notify.ts';
import { renderPrompt } from './render-prompt.ts';

const template = `Work on this: {{ task }}

Keep the person informed on the way. At each step in square brackets, make that call, with what you really found in place of the words.

1. Look at what is there.
2. {{ notify "What you found, and what you will do about it", context: "analysis" }}
3. Put the changes in order of their impact.
4. {{ notify "Starting with highest-impact changes first", context: "workflow" }}
5. Make them one by one. Before anything that is hard to undo:
   {{ notify "What you are about to do, and what to back up before", level: "warn", context: "safety" }}
6. {{ notify "What is done, with counts, and what needs the person's attention", context: "workflow" }}
`;

export const workflow = promptDefiner<LogNotify>()({
  name: 'workflow',
  title: 'Work and keep me informed',
  description: 'A task in steps, with a notification wherever the person would like to know',
  arguments: z.object({ task: z.string().min(1).describe('What is to be done') }),
  run: ({ task }, _logNotify, { toolName }) => renderPrompt(template, { task }, toolName),
});
