import { codePointLength, escapeInvisible, firstCodePoints } from '@deskside/core/text';
import type { Approval, ApprovalCall, Scope } from '@deskside/desktop';

/** What a button says if one call waits, and if there are several. */
export interface ButtonWords {
  readonly one: string;
  readonly all: string;
}

/** Of the box and the buttons that decide on everything that is shown, in the window and on the page of a desk. */
export function decisionWords({ more, offer }: Pick<Approval, 'more' | 'offer'>) {
  if (offer !== undefined) {
    const { accept, refuse } = offer;
    // No agent waits for a reason.
    return { deny: { one: refuse, all: refuse }, allow: { one: accept, all: accept }, reason: '' };
  }
  return {
    deny: { one: 'Deny', all: 'Deny all' },
    allow: { one: more.length === 0 ? 'Allow' : 'Allow once', all: 'Allow all shown once' },
    reason: 'Deny with a reason…',
  };
}

const MAX_OBJECT_CODE_POINTS = 40;

/** Behind the sentence, until calls join or leave: `order 2026-1187`, the first argument. '' if it is long or others wait. */
export function objectOf({ arguments: [first], others = [], offer }: Approval): string {
  if (first === undefined || others.length > 0 || offer !== undefined) return '';
  const text = escapeInvisible(`${first.name} ${first.value}`, { multiline: true });
  return text.includes('\n') || codePointLength(text) > MAX_OBJECT_CODE_POINTS ? '' : text;
}

/** Of a button that allows for longer than once. */
export function scopeWords(scope: Exclude<Scope, 'once'>, { isExact }: Pick<Approval, 'isExact'>): string {
  if (scope === 'session') return 'Allow all calls of this tool in this session';
  return isExact ? 'Always allow it with exactly these arguments' : 'Always allow all calls of this tool';
}

/** Empty if only one such call waits. */
export function equalWords({ calls }: Pick<ApprovalCall, 'calls'>): string {
  return calls > 1 ? `${calls} equal calls wait. "Allow once" runs one of them.` : '';
}

const MAX_OPEN_CODE_POINTS = 300;
const MAX_OPEN_LINES = 6;
/** Of the beginning, and of the end. */
const MAX_SHOWN_CODE_POINTS = 80;
/** Of each end of a value, to find them in: to read all of a megabyte takes a tenth of a second. */
const MAX_READ_LENGTH = 2000;

/**
 * What is shown of a long value until the person unfolds it, escaped and on one line.
 *
 * @returns undefined for a value that is shown as a whole; `end` is '' if the beginning is all of it
 */
export function foldOf(value: string) {
  const length = codePointLength(value);
  const isLong = value.length > MAX_READ_LENGTH;
  // A carriage return is shown as a line feed.
  const lines = isLong ? [] : escapeInvisible(value, { multiline: true }).split('\n');
  if (!isLong && length <= MAX_OPEN_CODE_POINTS && lines.length <= MAX_OPEN_LINES) return undefined;
  const [first, last] = [lineOf(value.slice(0, MAX_READ_LENGTH)), lineOf(value.slice(-MAX_READ_LENGTH))];
  const isShort = !isLong && codePointLength(first) <= 2 * MAX_SHOWN_CODE_POINTS;
  return {
    beginning: isShort ? first : firstCodePoints(first, MAX_SHOWN_CODE_POINTS),
    end: isShort ? '' : `… ${lastCodePoints(last, MAX_SHOWN_CODE_POINTS)}`,
    size: `${length.toLocaleString('en-US')} characters`,
  };
}

function lineOf(text: string): string {
  return escapeInvisible(text, { multiline: true }).replaceAll(/\s+/gu, ' ').trim();
}

function lastCodePoints(text: string, count: number): string {
  return Array.from(text.slice(-2 * count))
    .slice(-count)
    .join('');
}
