import { escapeInvisible, truncateCodePoints } from '@deskside/core/text';
import { OWN_IDS } from '../mounts/own-ids.ts';

const MAX_QUOTE_CODE_POINTS = 60;

/** What texts of harmful servers have in common. A finding is a reason to read the text, not a proof. */
const PATTERNS: readonly (readonly [what: string, pattern: RegExp])[] = [
  [
    'gives an order to the model',
    /<\/?(?:important|system|secret|instructions?)\b[^>]*>|\b(?:ignore|disregard|forget) (?:all|any|every|the|previous|prior|other)\b[^.\n]*|\b(?:do not|don't|never|without) (?:tell|telling|mention|mentioning|inform|informing|notify|notifying|ask|asking)\b[^.\n]*|\bbefore (?:you use|using|calling|you call) (?:this|any|other)\b[^.\n]*/iu,
  ],
  [
    'names a private file',
    /(?:~|\$HOME|%USERPROFILE%|\/home\/\w+|\/root)[/\\]\.[\w./\\-]+|\.ssh\b[\w./\\-]*|\bid_(?:rsa|ed25519|ecdsa)\b|\/etc\/(?:passwd|shadow)\b|\.(?:netrc|npmrc|aws|gnupg)\b|\bmcp\.json\b/iu,
  ],
  ['names a tool of another mount', new RegExp(`\\b(?:${OWN_IDS.join('|')})_[a-z_]+\\b`, 'iu')],
];

/** What a person should read twice in a part of a listing, a phrase each. */
export function findingsOf(value: unknown): readonly string[] {
  const found = new Set<string>();
  for (const text of textsOf(value)) {
    for (const [what, pattern] of PATTERNS) {
      const [quote] = pattern.exec(text) ?? [];
      if (quote !== undefined) found.add(`${what}: "${shown(quote)}"`);
    }
    if (escapeInvisible(text, { multiline: true }) !== text.replaceAll(/\r\n?/g, '\n')) {
      found.add('has invisible characters, shown as \\u{…}');
    }
  }
  return [...found];
}

function shown(quote: string): string {
  return escapeInvisible(truncateCodePoints(quote.trim(), MAX_QUOTE_CODE_POINTS));
}

/** All texts in a value, and the names of its members. */
function textsOf(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value];
  if (typeof value !== 'object' || value === null) return [];
  return [...Object.keys(value), ...Object.values(value).flatMap(textsOf)];
}
