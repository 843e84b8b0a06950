import { join } from 'node:path';
import { parseObject } from '@deskside/core/base';
import { greet, type Greeting, type HolderPlace, type HolderRecord } from '@deskside/desktop';
import type { Hello } from './hello.ts';

/**
 * Version of the attach protocol. A desk serves every version from 1 to its own; a client with a higher one asks it to
 * hand over. Raise it if an older desk could misunderstand a message.
 */
export const ATTACH_PROTOCOL = 1;

/** The desk's first line. */
export type Answer =
  /** The session begins. */
  | { readonly kind: 'welcome' }
  /** The client runs standalone. The reason is a sentence for people. */
  | { readonly kind: 'refused'; readonly reason: string }
  /** The client starts a desk of the client's version, which asks this desk to hand over. */
  | { readonly kind: 'outdated' }
  /** The new desk may take over: this one ends when clients find that one, and no call is open here. */
  | { readonly kind: 'yield' }
  /** The desk is ending: look for the next one. */
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
    case 'outdated':
    case 'yield':
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

/** -1 if `a` is older than `b`, 1 if it is newer. A prerelease is older than its release. */
export function compareVersions(a: string, b: string): -1 | 0 | 1 {
  const [left, right] = [versionParts(a), versionParts(b)];
  for (const [index, part] of left.entries()) {
    const other = right[index] ?? 0;
    if (part !== other) return part < other ? -1 : 1;
  }
  return 0;
}

function versionParts(version: string): number[] {
  const [release = '', prerelease] = version.split('-', 2);
  const numbers = release.split('.').map((part) => Number.parseInt(part, 10) || 0);
  const [major = 0, minor = 0, patch = 0] = numbers;
  return [major, minor, patch, prerelease === undefined ? 1 : 0];
}
