import { cut } from './code-points.ts';
import { SHOWN } from './neutralize.ts';

const HIDDEN = '[redacted]';

/** Best effort: the forms that secrets usually have. Each keeps its first group. */
const SECRETS: readonly RegExp[] = [
  /()-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)/g,
  /(\b(?:bearer|basic)\s+)[\w.~+/=-]{8,}/gi,
  /(\b[a-z][a-z0-9+.-]{0,30}:\/\/)[^\s/@]{1,500}@/gi,
  /(\b[\w-]{0,40}(?:password|passwd|pwd|secret|token|api[_-]?key|access[_-]?key|private[_-]?key|credential)s?["']?\s*[=:]\s*)(?:"[^"]*"|'[^']*'|[^\s,;&]+)/gi,
  /()\b(?:sk|pk|rk|ghp|gho|ghs|ghu|github_pat|glpat|xox[abprs]|npm|hf|whsec)[-_][\w-]{8,}/g,
  /()\bAKIA[0-9A-Z]{16}\b/g,
  /()\beyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]*/g,
];

/** A text as it may leave this machine: without what looks like a secret, and not longer than people are shown. */
export function outgoing(message: string, limit: number = SHOWN): string {
  return redact(cut(message, limit));
}

export function redact(text: string): string {
  return SECRETS.reduce((safe, secret) => safe.replace(secret, `$1${HIDDEN}`), text);
}
