import { isObject, parseObject } from '@deskside/core/base';
import { LEVELS, type Notification } from '../../notification/notification.ts';
import type { Losses } from '../../notification/losses.ts';

/** Where a notification waits: in the queue of a sink, for a summary, or until the person has not seen it in time. */
export type Stage = 'queued' | 'held' | 'unseen';

/** Where the settings of a sink are. A sink with another target in the same place is the same sink, corrected. */
export interface Origin {
  /** Path of the configuration file. */
  readonly config: string;
  readonly name: string;
}

/** One line of a spool file. */
export type Line =
  | {
      readonly accepted: string;
      readonly sinks: Readonly<Record<string, Stage>>;
      readonly notification: Notification;
    }
  | { readonly done: readonly string[]; readonly sink: string }
  | { readonly lost: Losses; readonly sink: string; readonly done: readonly string[] }
  /** How many attempts failed although the receiver accepted other notifications. */
  | { readonly attempts: number; readonly sink: string; readonly of: readonly string[] }
  | { readonly reported: string }
  /** A sink has another target now, and gets what waited for the old one. */
  | { readonly moved: string; readonly to: string }
  /** The sinks of the configuration file, by key. */
  | { readonly origins: Readonly<Record<string, Origin>> };

export function encode(line: Line): string {
  return `${JSON.stringify(line)}\n`;
}

/** Skips lines that a crash or a full disk cut off. */
export function parseLines(text: string): Line[] {
  return text.split('\n').flatMap((line) => {
    const value = parseObject(line);
    return isLine(value) ? [value] : [];
  });
}

/** Only this program writes the file, so the parts are not checked one by one. */
function isLine(value: unknown): value is Line {
  if (!isObject(value)) return false;
  if ('accepted' in value) {
    const { notification } = value;
    return (
      isObject(notification) &&
      'message' in notification &&
      LEVELS.some((level) => level === notification['level'])
    );
  }
  return (
    ['reported', 'moved', 'origins', 'attempts'].some((kind) => kind in value) || Array.isArray(value['done'])
  );
}
