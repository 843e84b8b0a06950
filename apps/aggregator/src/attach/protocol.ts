import { join } from 'node:path';
import { parseObject } from '@deskside/core/base';
import { greet, type Greeting, type HolderPlace, type HolderRecord } from '@deskside/desktop';
import type { Hello } from './hello.ts';

/** The desk's first line. */
export type Answer =
  /** The session begins. */
  | { readonly kind: 'welcome' }
  /** The client runs standalone. The reason is a sentence for people. */
  | { readonly kind: 'refused'; readonly reason: string }
  /** The desk ends: look for the next one, or start it. */
  | { readonly kind: 'leaving' }
  | { readonly kind: 'status'; readonly status: unknown }
  /** The page is open in the browser of the person. */
  | { readonly kind: 'opened' }
  /** The desk ends. It closes the connection when it has ended. */
  | { readonly kind: 'stopping' };

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
  const answer = parseObject(line);
  if (answer === undefined) return undefined;
  const { kind, reason, status } = answer;
  switch (kind) {
    case 'welcome':
    case 'leaving':
    case 'stopping':
    case 'opened':
      return { kind };
    case 'refused':
      return { kind, reason: typeof reason === 'string' ? reason : '' };
    case 'status':
      return { kind, status };
    default:
      return undefined;
  }
}

/** Numbers in a version count as numbers. */
export function isNewer(version: string, than: string): boolean {
  return version.localeCompare(than, 'en', { numeric: true }) > 0;
}
