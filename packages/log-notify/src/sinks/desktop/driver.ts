import type { Level } from '../../message/levels.ts';

/** A program of the desktop with the words of one notification: arguments and input, never a shell line. */
export interface Command {
  readonly program: string;
  readonly args: readonly string[];
  /** What it reads, as UTF-8. */
  readonly input?: string;
}

export interface DesktopText {
  readonly level: Level;
  readonly title: string;
  /** One line, safe to print, not yet safe for markup. */
  readonly body: string;
}

export type Driver = (text: DesktopText) => Command;
