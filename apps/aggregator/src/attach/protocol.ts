import { join } from 'node:path';
import { parseObject } from '@deskside/core/base';
import { greet, type Greeting, type HolderPlace, type HolderRecord } from '@deskside/desktop';
import type { Hello } from './hello.ts';

/**
 * The session begins; the desk ends: look for the next one, or start it; the page is open in the browser of the
 * person; the desk ends, and closes the connection when it has ended.
 */
const PLAIN_ANSWERS = ['welcome', 'leaving', 'opened', 'stopping'] as const;

/** The desk's first line. */
export type Answer =
  | { readonly kind: (typeof PLAIN_ANSWERS)[number] }
  /** The client runs standalone. The reason is a sentence for people. */
  | { readonly kind: 'refused'; readonly reason: string }
  | { readonly kind: 'status'; readonly status: unknown };

/** A reason as a sentence. A full stop behind a command to paste would become a part of it. */
export function sentenceOf(reason: string): string {
  return reason.endsWith('.') || reason.includes('Run: ') ? reason : `${reason}.`;
}

/**
 * Where the desk of a user is.
 *
 * @param data the user data folder of Deskside
 */
export function deskPlace(data: string, { uid }: Pick<HolderPlace, 'uid'>): HolderPlace {
  return { folder: join(data, 'desk'), uid };
}

/** Introduces this process to a desk, as `greet`. */
export function greetDesk(
  record: HolderRecord,
  introduction: Hello,
  signal: AbortSignal,
): Promise<Greeting<Answer> | undefined> {
  return greet(record, introduction, readAnswer, signal);
}

/** @returns undefined for a line that no version of this protocol sends */
function readAnswer(line: string): Answer | undefined {
  const { kind, reason, status } = parseObject(line) ?? {};
  if (kind === 'refused') return { kind, reason: typeof reason === 'string' ? reason : '' };
  if (kind === 'status') return { kind, status };
  const plain = PLAIN_ANSWERS.find((each) => each === kind);
  return plain && { kind: plain };
}

/** Numbers in a version count as numbers. */
export function isNewer(version: string, than: string): boolean {
  return version.localeCompare(than, 'en', { numeric: true }) > 0;
}
