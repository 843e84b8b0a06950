import { firstCodePoints } from './code-points.ts';

/** The contract's contexts. Others are as good. */
export const KNOWN_CONTEXTS = ['analysis', 'workflow', 'safety', 'performance', 'discovery'] as const;

export const DEFAULT_CONTEXT = 'llm';

/** Code points a context may have. */
const LONGEST = 64;

/**
 * A context as filters and people see it: lower case, letters and digits of any script, `.`, `_` and `-`, at
 * most 64 code points. Whatever leaves nothing of it counts as the default.
 */
export function contextOf(value: unknown): string {
  if (typeof value !== 'string') return DEFAULT_CONTEXT;
  const plain = value
    .slice(0, 4 * LONGEST)
    .normalize('NFKC')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}._-]+/gu, '-')
    .replaceAll(/^-+|-+$/g, '');
  return firstCodePoints(plain, LONGEST) || DEFAULT_CONTEXT;
}
