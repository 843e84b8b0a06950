import { type Completer, readDate, readRangeArguments, ToolError } from '@deskside/core';
import { z } from 'zod';
import type { ManicTime } from '../manictime.ts';
import { DAY, formatDate, localTime, startOfDay } from '../time/wall-clock.ts';
import { dataSpan } from '../timeline/data-span.ts';

/** How many days are offered to choose from. */
const OFFERED = 60;

/** An argument that is a date, or a datetime; what is wrong with it is said in the words of the tools. */
export function dateArgument(description: string) {
  return z
    .string()
    .describe(description)
    .superRefine((text, context) => {
      const message = objectionTo(() => readDate(text, 'the argument'));
      if (message !== undefined) context.addIssue({ code: 'custom', message });
    });
}

/** A range as the tool takes it that the prompt is about. */
export function rangeArguments(mostDays: number) {
  return z
    .object({
      startDate: dateArgument('First day, ISO-8601.'),
      endDate: dateArgument('The day after the last, ISO-8601.'),
    })
    .superRefine(({ startDate, endDate }, context) => {
      const message = objectionTo(() => readRangeArguments(startDate, endDate, { mostDays }));
      if (message !== undefined) context.addIssue({ code: 'custom', path: ['endDate'], message });
    });
}

function objectionTo(read: () => unknown): string | undefined {
  try {
    read();
    return undefined;
  } catch (error) {
    if (!ToolError.is(error) || !('code' in error.failure)) throw error;
    const { error: message, hint } = error.failure;
    return `${message} ${hint}`;
  }
}

/** The day of a date or datetime, or the one some days later. */
export function dayOf(text: string, later = 0): string {
  return formatDate(startOfDay(readDate(text, 'date')) + later * DAY);
}

/** The last days that have data, latest first. */
export const completeDate: Completer<ManicTime> = async (typed, _, { database }, { signal }) => {
  const today = startOfDay(localTime(Math.floor(Date.now() / 1000)));
  const { start, end } = await database
    .read(dataSpan, signal)
    .catch(() => ({ start: undefined, end: undefined }));
  const last = Math.min(today, startOfDay(end ?? today));
  const days = Array.from({ length: OFFERED }, (_, index) => last - index * DAY);
  return days
    .filter((day) => start === undefined || day >= startOfDay(start))
    .map(formatDate)
    .filter((day) => day.startsWith(typed));
};
