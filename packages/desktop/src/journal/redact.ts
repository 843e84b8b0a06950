export const REDACTED = '[redacted]';

const NAMES = String.raw`(?:password|passwd|passphrase|pwd|secret|token|api[_-]?key|access[_-]?key|private[_-]?key|credential)s?`;

/** Words that follow such a name in ordinary sentences and in schemas. */
const ORDINARY = String.raw`(?:\d[\d.,]*|true|false|null|none|undefined|required|optional|string|number|missing|invalid|expired)\b`;

/** A value that is not a word: it has a digit or a symbol inside. */
const NOT_A_WORD = String.raw`(?=[^\s,;&"']*[\d!#$%*+=?@^_~])`;

/**
 * Secrets by what is around them, and tokens of services by their beginning. log-notify finds more of the latter with
 * secretlint in what leaves the machine. The first group stays.
 * Best effort: a password without any context looks like a word.
 */
const SECRETS: readonly RegExp[] = [
  /()-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)/g,
  // The password in a URL may contain @.
  /(\b[a-z][a-z0-9+.-]{0,30}:\/\/)[^\s/?#:@]{0,200}:[^\s/?#]{1,500}@/gi,
  /(\bauthorization["']?\s*[:=]\s*["']?(?:bearer|basic|token|digest)\s+)[^\s"']+/gi,
  /(\b[Bb]earer\s+|\b[Bb]asic\s+)(?=[\w.~+/-]*\d)(?=[\w.~+/-]*[A-Za-z])(?=[\w.~+/-]*[A-Z]|[\da-f]{24})[\w.~+/-]{16,}={0,2}/g,
  new RegExp(String.raw`(\b[\w-]{0,40}${NAMES}["']?\s*[=:]\s*)(?:"[^"\n]+"|'[^'\n]+')`, 'gi'),
  new RegExp(String.raw`(\b[\w-]{0,40}${NAMES}=)(?!${ORDINARY})[^\s,;&"']+`, 'gi'),
  new RegExp(
    String.raw`(\b[\w-]{0,40}${NAMES}\s*(?::|\s=)\s*)(?!${ORDINARY})${NOT_A_WORD}[^\s,;&"']{4,}`,
    'gi',
  ),
  // The environment of programs: DB_PASS, DOCKER_AUTH.
  new RegExp(
    String.raw`(\b[A-Z][A-Z0-9_]{0,40}_(?:PASS|PW|AUTH|KEY)=["']?)(?!${ORDINARY})[^\s,;&"']{4,}`,
    'g',
  ),
  new RegExp(String.raw`([?&](?:auth|key|sig|signature|code)=)(?!${ORDINARY})[\w.~+/%=-]{8,}`, 'gi'),
  /(\b(?:curl|wget|http|https)\b[^\n|;]{0,300}?\s(?:-u|--user)[ =]?["']?)[^\s:"']{1,100}:[^\s"']+/g,
  // In a sentence: a long hexadecimal or mixed value.
  new RegExp(
    String.raw`(\b(?:${NAMES}|api key|access key)\s+(?:is|was)\s*:?\s+["']?)(?=[\w-]*\d)[\w-]{20,}`,
    'gi',
  ),
  /(\baws_secret_access_key["']?[\s=:]+["']?)[\w/+=]{40}/gi,
  /(\bhooks\.slack\.com\/(?:services|workflows|triggers)\/)[\w/-]{20,}/gi,
  /(\bdiscord(?:app)?\.com\/api\/(?:v\d+\/)?webhooks\/\d+\/)[\w-]{20,}/gi,
  /()\bsk-(?=[\w-]*\d)[\w-]{20,}/g,
  /()\bx(?:ox[abeoprs]|app)-[\w-]{10,}/g,
  /()\bgh[pousr]_[\w-]{5,}(?:\.[\w-]+)+/g,
  /()\b(?:gh[pousr]_|github_pat_|glpat-|npm_|dop_v1_|[rs]k_live_)[\w-]{20,}/g,
  /()\bhf_[A-Za-z0-9]{30,}/g,
  /()\bwhsec_[A-Za-z0-9+/=]{24,}/g,
  /()\bAIza[\w-]{35}/g,
  /()\bya29\.[\w-]{20,}/g,
  /()\bGOCSPX-[\w-]{20,}/g,
  // secretlint finds only those with at most one hyphen.
  /()\bSG\.[\w-]{20,}\.[\w-]{40,}/g,
  /()\b\d{8,10}:[A-Za-z0-9_-]{35}\b/g,
  /()\bA(?:KIA|SIA)[0-9A-Z]{16}\b/g,
  /()\bpypi-[\w-]{20,}/g,
  /()\bsntry[su]_[\w+/=-]{20,}/g,
  /()\bvercel_blob_rw_[\w]{20,}/g,
  /()\beyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]*/g,
];

/** Replaces what looks like a secret. */
export function redact(text: string): string {
  return SECRETS.reduce((safe, secret) => safe.replace(secret, `$1${REDACTED}`), text);
}
