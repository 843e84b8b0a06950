import { defineCommand, integerField } from '@deskside/core/cli';
import { escapeInvisible } from '@deskside/core/text';
import * as z from 'zod';
import { activityFile } from '../activity/log.ts';
import { lastCalls, newCalls } from '../activity/read.ts';

export const activity = defineCommand({
  flags: {
    follow: z
      .boolean()
      .default(false)
      .meta({ short: 'f', description: 'Wait for new calls and print them.' }),
    json: z.boolean().default(false).meta({ description: 'Print JSON lines.' }),
    limit: integerField(0, 10_000)
      .default(50)
      .meta({ short: 'n', placeholder: 'COUNT', description: 'Number of earlier calls to print.' }),
  },
  details:
    'The log contains who called which tool, the outcome and the duration. It contains no arguments and no answers.',
  examples: ['deskside activity', 'deskside activity --follow', 'deskside activity --json --limit 1000'],
  async run({ follow, json, limit }, { print, closed }) {
    const file = activityFile();
    const show = (line: string) => print(json ? line : lineOf(line));
    const { lines, next } = await lastCalls(file, limit);
    for (const line of lines) show(line);
    if (lines.length === 0 && limit > 0 && !follow && !json) print('No calls.');
    if (!follow) return;
    for await (const line of newCalls(file, next, closed)) show(line);
  },
});

const shownCall = z.object({
  time: z.string(),
  mount: z.string(),
  tool: z.string(),
  outcome: z.string(),
  ms: z.number(),
  caller: z.string(),
});

/** `2026-11-22 10:31:07  todo add_task           ok        12 ms  Claude Code · my-project` */
function lineOf(line: string): string {
  const call = shownCall.safeParse(parsed(line)).data;
  if (call === undefined) return escapeInvisible(line);
  const { time, mount, tool, outcome, ms, caller } = call;
  const at = localTime(new Date(time));
  return escapeInvisible(
    `${at}  ${`${mount} ${tool}`.padEnd(30)}  ${outcome.padEnd(8)}  ${`${ms} ms`.padStart(9)}  ${caller}`,
  );
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

/** Swedish dates are ISO 8601. */
function localTime(time: Date): string {
  return time.toLocaleString('sv-SE');
}
