import type { Command, DesktopText } from './driver.ts';

const SCRIPT = [
  'on run argv',
  'display notification (item 2 of argv) with title (item 1 of argv)',
  'end run',
];

/** macOS. The words are arguments of a constant script: nothing of them is ever AppleScript. */
export function osascript({ title, body }: DesktopText): Command {
  return { program: 'osascript', args: [...SCRIPT.flatMap((line) => ['-e', line]), '--', title, body] };
}
