import * as z from 'zod';
import { LEVELS, type Notification, normalizeContext, severity } from '../notification/notification.ts';
import { duration, text } from '../sinks/fields.ts';

const PATTERN_ERROR = 'use a name or a list of names; * stands for any characters';

const patterns = z
  .union([z.string().min(1), z.array(z.string().min(1)).min(1)], { error: PATTERN_ERROR })
  .transform((value) => (typeof value === 'string' ? [value] : value));

const contextPattern = (name: string) => (name.includes('*') ? name : normalizeContext(name));

/** false is as without the setting. */
const optionalDuration = () =>
  duration()
    .transform((ms) => (ms === 0 ? undefined : ms))
    .optional();

/** `[[rule]]`: what a notification must be, and the sinks that get it then. */
export const ruleSchema = z.object({
  project: patterns.optional(),
  caller: patterns.optional(),
  context: patterns.transform((names) => names.map(contextPattern)).optional(),
  level: z.enum(LEVELS, { error: `use one of ${LEVELS.join(', ')}` }).optional(),
  away: optionalDuration(),
  escalate: optionalDuration(),
  to: z.array(text('use the name of a sink'), { error: 'use a list of sinks, for example ["ntfy"]' }),
});

export type Rule = z.output<typeof ruleSchema>;

/** What rules look at. */
export type Example = Pick<Notification, 'level' | 'context' | 'caller' | 'project' | 'client'>;

/**
 * The first rule that fits decides.
 *
 * @param idleMs how long the person has not used the computer; undefined if that is not known
 * @returns its index; -1 if none fits
 */
export function ruleFor(rules: readonly Rule[], example: Example, idleMs: number | undefined): number {
  const { level, context, caller = '', project = '', client = '' } = example;
  return rules.findIndex(
    (rule) =>
      fits(rule.project, [project]) &&
      fits(rule.caller, [caller, client]) &&
      fits(rule.context, [context]) &&
      severity(level) >= severity(rule.level ?? 'info') &&
      (rule.away === undefined || (idleMs ?? -1) >= rule.away),
  );
}

function fits(wanted: readonly string[] | undefined, names: readonly string[]): boolean {
  if (wanted === undefined) return true;
  return wanted.some((pattern) => {
    const parts = pattern.split('*').map((part) => part.replaceAll(/[\\^$.|?+()[\]{}/-]/g, String.raw`\$&`));
    return names.some((name) => new RegExp(`^${parts.join('.*')}$`, 'is').test(name));
  });
}
