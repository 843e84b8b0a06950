import { z } from 'zod';

/** What an answer had to do without: the cause, and the cure. */
export const diagnostics = z
  .object({
    degraded: z.boolean(),
    reasonCode: z.string().optional(),
    remediationHint: z.string().optional(),
  })
  .describe('Whether something the answer draws on was missing, and what to do about it.');

export type Diagnostics = z.output<typeof diagnostics>;

/** One thing an answer had to do without, or the reason for its being empty. */
export interface DiagnosticNote {
  readonly reasonCode: string;
  readonly remediationHint: string;
  /** False for a reason that is nobody's fault: there is no data in that range. */
  readonly degraded: boolean;
}

/** The gravest note speaks: those that degrade before those that only explain, then the first. */
export function diagnosticsOf(notes: readonly (DiagnosticNote | undefined)[]): Diagnostics {
  const given = notes.filter((note) => note !== undefined);
  const note = given.find(({ degraded }) => degraded) ?? given[0];
  if (note === undefined) return { degraded: false };
  const { degraded, reasonCode, remediationHint } = note;
  return { degraded, reasonCode, remediationHint };
}
