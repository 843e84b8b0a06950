import { existsSync } from 'node:fs';
import { platform, release } from 'node:os';
import { join } from 'node:path';
import { isProgram, ownUid, programPaths, type SessionBus, sessionBus } from '@deskside/desktop';
import { escapeMarkup } from '@deskside/core/text';
import type { Level } from '../../notification/notification.ts';
import type { Environment } from '../sink.ts';

/** The facts that decide which driver works. */
export interface Machine {
  /** A name of `os.platform()`. */
  readonly platform: string;
  /** The version of the kernel, as `os.release()` gives it. */
  readonly release: string;
  readonly env: Environment;
  /** Undefined if the platform has no user ids. */
  readonly userId: number | undefined;
  readonly exists: (path: string) => boolean;
  readonly isProgram: (path: string) => boolean;
}

/** A program with the text of one notification. It runs without a shell. */
export interface Command {
  readonly program: string;
  readonly args: readonly string[];
  /** Standard input, as UTF-8. */
  readonly input?: string;
}

export interface DesktopText {
  readonly level: Level;
  /** One escaped line. */
  readonly title: string;
  /** Escaped lines. Markup is not escaped yet. */
  readonly body: string;
}

/** A program that shows notifications on this machine. */
export interface Driver {
  readonly command: (text: DesktopText) => Command;
  /** What a person must do if no notification is shown. */
  readonly advice?: string;
}

export function thisMachine(env: Environment): Machine {
  const facts = { platform: platform(), release: release(), userId: ownUid() };
  return { ...facts, env, exists: existsSync, isProgram };
}

/** @returns the driver for this machine, or one sentence that says why none works */
export function findDriver(machine: Machine): Driver | SessionBus | string {
  switch (machine.platform) {
    case 'darwin':
      return findMacDriver(machine);
    case 'win32':
      return { command: windowsToast('powershell.exe') };
    default:
      return findWslDriver(machine) ?? findFreedesktopDriver(machine);
  }
}

/** Where Homebrew installs programs. Apps that start servers do not have these folders in their PATH. */
const HOMEBREW = ['/opt/homebrew/bin', '/usr/local/bin'];

/** osascript shows notifications as Script Editor, and without its permission they are dropped without an error. */
const SCRIPT_EDITOR =
  'Notifications appear as "Script Editor". Allow them once: open Script Editor, run `display notification "test"`, and allow its notifications in System Settings > Notifications. Or install terminal-notifier: brew install terminal-notifier.';

function findMacDriver(machine: Machine): Driver {
  for (const [name, commandOf] of [
    ['terminal-notifier', terminalNotifier],
    ['alerter', alerter],
  ] as const) {
    const program = findProgram(machine, name, HOMEBREW);
    const advice = `Notifications appear as "${name}". Allow them in System Settings > Notifications if none appears.`;
    if (program !== undefined) return { command: commandOf(program), advice };
  }
  return { command: osascript, advice: SCRIPT_EDITOR };
}

const WSL_POWER_SHELL = '/mnt/c/Windows/System32/WindowsPowerShell/v1.0/powershell.exe';

/** WSL has no notification daemon, but it can start programs of Windows. */
function findWslDriver(machine: Machine): Driver | undefined {
  if (!/microsoft/i.test(machine.release)) return undefined;
  const program =
    findProgram(machine, 'powershell.exe') ??
    (machine.isProgram(WSL_POWER_SHELL) ? WSL_POWER_SHELL : undefined);
  return program === undefined ? undefined : { command: windowsToast(program) };
}

/** Only a notification would show whether it finds one. */
const UNKNOWN_BUS =
  'No D-Bus session bus is known, so notify-send looks for one. If no notification appears, pass DBUS_SESSION_BUS_ADDRESS to the server.';

function findFreedesktopDriver(machine: Machine): Driver | SessionBus | string {
  const { env, userId, exists } = machine;
  const bus = sessionBus(env, userId, exists);
  if (bus !== undefined) return bus;
  const isSession = ['DBUS_SESSION_BUS_ADDRESS', 'DISPLAY', 'WAYLAND_DISPLAY'].some((name) => env[name]);
  if (!isSession) return 'no desktop session found: no display and no D-Bus session bus';
  // It finds or starts the bus of a display.
  if (findProgram(machine, 'notify-send') !== undefined) return { command: notifySend, advice: UNKNOWN_BUS };
  return 'no D-Bus session bus found, and notify-send is not installed. Install libnotify-bin (Debian, Ubuntu) or libnotify (Fedora, Arch)';
}

/** @returns the path of a program in PATH or in one of the other folders */
function findProgram(
  { env, isProgram }: Machine,
  name: string,
  others: readonly string[] = [],
): string | undefined {
  return [...programPaths([name], env['PATH']), ...others.map((folder) => join(folder, name))].find(
    isProgram,
  );
}

/** Never critical: such a notification stays until it is closed, also on top of a question, and ignores "Do not disturb". */
export const URGENCY = { info: 'low', warn: 'normal', error: 'normal' } as const;

/** Errors stay longer than what the daemon shows usually. */
export const ERROR_EXPIRE_MS = 30_000;

/**
 * Linux and BSD without a known session bus. The notification daemon reads the body as markup, and notify-send reads C escapes in it: `\n` as a
 * line feed, `\033` as an escape character.
 */
export function notifySend({ level, title, body }: DesktopText): Command {
  const text = escapeMarkup(body).replaceAll('\\', String.raw`\\`);
  return {
    program: 'notify-send',
    args: [
      '--app-name=Deskside',
      `--urgency=${URGENCY[level]}`,
      ...(level === 'error' ? [`--expire-time=${ERROR_EXPIRE_MS}`] : []),
      '--',
      title,
      text,
    ],
  };
}

/**
 * macOS. It reads the message from its input. The title starts with a letter, because a value that starts with `[`,
 * `(`, `{` or `"` would be parsed as a property list.
 */
export function terminalNotifier(program: string): Driver['command'] {
  return ({ title, body }) => ({ program, args: ['-title', title], input: body });
}

/** Seconds after which alerter stops waiting for a click. */
const ALERTER_SECONDS = '5';

/** macOS. A zero-width space in front of the body keeps it from being parsed as a property list or an option. */
export function alerter(program: string): Driver['command'] {
  return ({ title, body }) => ({
    program,
    args: ['-title', title, '-message', `\u200B${body}`, '-timeout', ALERTER_SECONDS],
  });
}

const APPLE_SCRIPT = [
  'on run argv',
  'display notification (item 2 of argv) with title (item 1 of argv)',
  'end run',
];

/** macOS. The texts are arguments of a constant script, so they are never parsed as AppleScript. */
export function osascript({ title, body }: DesktopText): Command {
  return { program: 'osascript', args: [...APPLE_SCRIPT.flatMap((line) => ['-e', line]), '--', title, body] };
}

/** Reads the texts as JSON from standard input and adds them as text nodes. */
const POWER_SHELL_SCRIPT = `
$ErrorActionPreference = 'Stop'
[Console]::InputEncoding = [System.Text.Encoding]::UTF8
$words = [Console]::In.ReadToEnd() | ConvertFrom-Json
$null = [Windows.UI.Notifications.ToastNotificationManager, Windows.UI.Notifications, ContentType = WindowsRuntime]
$null = [Windows.Data.Xml.Dom.XmlDocument, Windows.Data.Xml.Dom.XmlDocument, ContentType = WindowsRuntime]
$xml = [Windows.UI.Notifications.ToastNotificationManager]::GetTemplateContent([Windows.UI.Notifications.ToastTemplateType]::ToastText02)
if ($words.level -eq 'error') { $xml.DocumentElement.SetAttribute('duration', 'long') }
$texts = $xml.GetElementsByTagName('text')
$null = $texts.Item(0).AppendChild($xml.CreateTextNode($words.title))
$null = $texts.Item(1).AppendChild($xml.CreateTextNode($words.body))
$app = '{1AC14E77-02E7-4E5D-B744-2EB1AE5198B7}\\WindowsPowerShell\\v1.0\\powershell.exe'
[Windows.UI.Notifications.ToastNotificationManager]::CreateToastNotifier($app).Show([Windows.UI.Notifications.ToastNotification]::new($xml))
`;

/** Windows and WSL, through PowerShell. The encoded script has no path and no quotes that a shell could change. */
export function windowsToast(program: string): Driver['command'] {
  const encoded = Buffer.from(POWER_SHELL_SCRIPT, 'utf16le').toString('base64');
  return ({ level, title, body }) => ({
    program,
    args: ['-NoProfile', '-NonInteractive', '-ExecutionPolicy', 'Bypass', '-EncodedCommand', encoded],
    input: JSON.stringify({ level, title, body }),
  });
}
