import { spawn } from 'node:child_process';
import type { Machine } from '../machine/machine.ts';

/** Opens an address of the web or of mail in the person's own browser, without waiting for it. */
export function openInBrowser({ platform, env }: Machine, address: string): void {
  const { command, args } = openCommand(platform, address);
  const child = spawn(command, args, { detached: true, stdio: 'ignore', env: { ...env } });
  child.on('error', () => undefined);
  child.unref();
}

/** None of these reads its argument as a command. */
export function openCommand(platform: NodeJS.Platform, address: string): { command: string; args: string[] } {
  if (platform === 'darwin') return { command: 'open', args: [address] };
  if (platform === 'win32') return { command: 'rundll32', args: ['url.dll,FileProtocolHandler', address] };
  return { command: 'xdg-open', args: [address] };
}
