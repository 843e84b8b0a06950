import { outputOf } from '@deskside/core/base';
import type { SystemInfo } from './system.ts';

const TIMEOUT_MS = 5000;

/** The text is in the environment: PowerShell would read it as code. */
const BALLOON = [
  'Add-Type -AssemblyName System.Windows.Forms, System.Drawing;',
  '$i = New-Object System.Windows.Forms.NotifyIcon; $i.Icon = [System.Drawing.SystemIcons]::Information;',
  '$i.Visible = $true; $i.ShowBalloonTip(5000, $env:DESKSIDE_TITLE, $env:DESKSIDE_TEXT, 1); Start-Sleep 5; $i.Dispose()',
].join(' ');

/** The command that shows a notification of the system. */
export function notificationCommand(
  platform: NodeJS.Platform,
  title: string,
  text: string,
): {
  readonly command: string;
  readonly args: readonly string[];
  readonly variables: Record<string, string>;
} {
  if (platform === 'darwin') {
    const script = [
      'on run argv',
      'display notification (item 2 of argv) with title (item 1 of argv)',
      'end run',
    ];
    return {
      command: 'osascript',
      args: [...script.flatMap((line) => ['-e', line]), title, text],
      variables: {},
    };
  }
  if (platform === 'win32') {
    const args = ['-NoProfile', '-NonInteractive', '-Command', BALLOON];
    return { command: 'powershell', args, variables: { DESKSIDE_TITLE: title, DESKSIDE_TEXT: text } };
  }
  return { command: 'notify-send', args: ['--app-name=Deskside', '--', title, text], variables: {} };
}

/** Shows a notification of the system. @returns false if that failed */
export async function notifyDesktop(
  title: string,
  text: string,
  { platform, env }: SystemInfo,
): Promise<boolean> {
  const { command, args, variables } = notificationCommand(platform, title, text);
  return (await outputOf({ env: { ...env, ...variables } }, command, args, TIMEOUT_MS)) !== undefined;
}
