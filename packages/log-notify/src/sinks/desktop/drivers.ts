import { accessSync, constants, existsSync, statSync } from 'node:fs';
import { platform, userInfo } from 'node:os';
import { delimiter, join } from 'node:path';
import type { Level } from '../../notification/notification.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

/** The facts that decide which driver works. */
export interface Machine {
  /** A name of `os.platform()`. */
  readonly platform: string;
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
  readonly title: string;
  /** One escaped line. Markup is not escaped yet. */
  readonly body: string;
}

export type Driver = (text: DesktopText) => Command;

export function thisMachine(env: Environment): Machine {
  return { platform: platform(), env, userId: currentUserId(), exists: existsSync, isProgram };
}

function currentUserId(): number | undefined {
  try {
    const { uid } = userInfo();
    return uid < 0 ? undefined : uid;
  } catch {
    // The user has no passwd entry, as in many containers.
    return undefined;
  }
}

/** @returns the driver for this machine, or one sentence that says why none works */
export function findDriver(machine: Machine): Driver | string {
  switch (machine.platform) {
    case 'darwin':
      return osascript;
    case 'win32':
      return windowsToast;
    default:
      return findFreedesktopDriver(machine);
  }
}

function findFreedesktopDriver({ env, userId, exists, isProgram }: Machine): Driver | string {
  const hasBus =
    isSet(env['DBUS_SESSION_BUS_ADDRESS']) || (userId !== undefined && exists(`/run/user/${userId}/bus`));
  if (!hasBus && !isSet(env['DISPLAY']) && !isSet(env['WAYLAND_DISPLAY'])) {
    return 'no desktop session found: no display and no D-Bus session bus';
  }
  const folders = (env['PATH'] ?? '').split(delimiter).filter((folder) => folder !== '');
  if (folders.some((folder) => isProgram(join(folder, 'notify-send')))) return notifySend;
  return 'notify-send is not installed. Install libnotify-bin (Debian, Ubuntu) or libnotify (Fedora, Arch)';
}

function isSet(value: string | undefined): boolean {
  return value !== undefined && value !== '';
}

/** True for a file that this user may execute. Folders have the same permission bit. */
export function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

const URGENCY: Readonly<Record<Level, string>> = { info: 'low', warn: 'normal', error: 'critical' };
const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };

/**
 * Linux and BSD. The notification daemon reads the body as markup, and notify-send reads C escapes in it: `\n` as a
 * line feed, `\033` as an escape character.
 */
export function notifySend({ level, title, body }: DesktopText): Command {
  const text = body
    .replaceAll(/[&<>]/g, (character) => ENTITIES[character] ?? '')
    .replaceAll('\\', String.raw`\\`);
  return {
    program: 'notify-send',
    args: ['--app-name=Deskside', `--urgency=${URGENCY[level]}`, '--', title, text],
  };
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
$texts = $xml.GetElementsByTagName('text')
$null = $texts.Item(0).AppendChild($xml.CreateTextNode($words.title))
$null = $texts.Item(1).AppendChild($xml.CreateTextNode($words.body))
$app = '{1AC14E77-02E7-4E5D-B744-2EB1AE5198B7}\\WindowsPowerShell\\v1.0\\powershell.exe'
[Windows.UI.Notifications.ToastNotificationManager]::CreateToastNotifier($app).Show([Windows.UI.Notifications.ToastNotification]::new($xml))
`;

/** Windows, through its own PowerShell. */
export function windowsToast({ title, body }: DesktopText): Command {
  const encoded = Buffer.from(POWER_SHELL_SCRIPT, 'utf16le').toString('base64');
  return {
    program: 'powershell.exe',
    args: ['-NoProfile', '-NonInteractive', '-ExecutionPolicy', 'Bypass', '-EncodedCommand', encoded],
    input: JSON.stringify({ title, body }),
  };
}
