import { setTimeout as delay } from 'node:timers/promises';
import { type ClientDesktop, DesktopNotifications, outputOf, sessionBus } from '@deskside/desktop';
import { escapeMarkup, escapeInvisible } from '@deskside/core/text';
import type { SystemInfo } from './system.ts';

/** PowerShell takes seconds to start, and shows a balloon for five. */
const TIMEOUT_MS = 15_000;
/** A server that ends does not wait longer for a notification daemon. */
const END_TIMEOUT_MS = 200;

/** The text is in the environment: PowerShell would read it as code. */
const BALLOON = [
  'Add-Type -AssemblyName System.Windows.Forms, System.Drawing;',
  '$i = New-Object System.Windows.Forms.NotifyIcon; $i.Icon = [System.Drawing.SystemIcons]::Information;',
  '$i.Visible = $true; $i.ShowBalloonTip(5000, $env:DESKSIDE_TITLE, $env:DESKSIDE_TEXT, 1); Start-Sleep 5; $i.Dispose()',
].join(' ');

/** The command that shows a notification of the system. */
export function notificationCommand(platform: NodeJS.Platform, title: string, text: string) {
  if (platform === 'darwin') {
    const script = [
      'on run argv',
      'display notification (item 2 of argv) with title (item 1 of argv)',
      'end run',
    ];
    return {
      command: 'osascript',
      args: [...script.flatMap((line) => ['-e', line]), '--', title, text],
      variables: {},
    };
  }
  if (platform === 'win32') {
    const args = ['-NoProfile', '-NonInteractive', '-Command', BALLOON];
    return { command: 'powershell', args, variables: { DESKSIDE_TITLE: title, DESKSIDE_TEXT: text } };
  }
  // The body is markup, in which notify-send reads C escapes.
  const body = escapeMarkup(text).replaceAll('\\', String.raw`\\`);
  return { command: 'notify-send', args: ['--app-name=Deskside', '--', title, body], variables: {} };
}

/** Shows a notification of the system. @returns false if that failed */
export async function notifyDesktop(
  title: string,
  text: string,
  { platform, env }: SystemInfo,
): Promise<boolean> {
  const { command, args, variables } = notificationCommand(
    platform,
    escapeInvisible(title),
    escapeInvisible(text, { multiline: true }),
  );
  return (await outputOf({ env: { ...env, ...variables } }, command, args, TIMEOUT_MS)) !== undefined;
}

/** A question that waits without a window. */
export interface PutOffQuestion {
  readonly title: string;
  readonly text: string;
  /** On whose screen it belongs; undefined means that of this process. */
  readonly client: ClientDesktop | undefined;
  /** The person wants to answer it now. */
  readonly onAnswer: () => void;
}

/**
 * Shows a quiet notification with "Answer", where a freedesktop notification daemon says that it was clicked. Elsewhere
 * the question only waits.
 *
 * @returns takes it back; never rejects
 */
export function notifyPutOff(
  { title, text, onAnswer }: PutOffQuestion,
  { env, uid }: SystemInfo,
): () => Promise<unknown> {
  const show = async () => {
    const bus = sessionBus(env, uid);
    if (bus === undefined) throw new Error('no session bus');
    const daemon = await DesktopNotifications.on(bus);
    const id = await daemon.show({
      title,
      text,
      urgency: 'low',
      clickLabel: 'Answer',
      hasButton: true,
      onEnd: (end) => (end === 'clicked' ? onAnswer() : undefined),
    });
    return () => daemon.close(id);
  };
  // Without a daemon the question only waits.
  const shown = show().catch(() => undefined);
  // One that is gone needs no end.
  const takeBack = () => shown.then((close) => close?.()).catch(() => undefined);
  return () => Promise.race([takeBack(), delay(END_TIMEOUT_MS)]);
}
