import * as z from 'zod';
import type { DiagnosticNote } from './errors/index.ts';

/** Output field: whether the answer is incomplete or empty for a reason, and what to do about it. */
export const diagnostics = z
  .object({
    degraded: z.boolean(),
    reasonCode: z.string().optional(),
    remediationHint: z.string().optional(),
  })
  .describe('Whether data for this answer was missing, and what to do about it.');

export type Diagnostics = z.output<typeof diagnostics>;

/** Returns the first note that degrades the answer, otherwise the first note. */
export function diagnosticsOf(notes: readonly (DiagnosticNote | undefined)[]): Diagnostics {
  const present = notes.filter((note) => note !== undefined);
  const note = present.find(({ degraded }) => degraded) ?? present[0];
  if (note === undefined) return { degraded: false };
  const { degraded, reasonCode, remediationHint } = note;
  return { degraded, reasonCode, remediationHint };
}
