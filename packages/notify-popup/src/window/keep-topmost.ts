import { execFile } from 'node:child_process';

/** Windows: makes the main window of a process topmost and asks for the foreground. Failure only costs that. */
export function keepTopmost(pid: number): void {
  execFile('powershell', ['-NoProfile', '-NonInteractive', '-Command', topmostScript(pid)], () => undefined);
}

/** Waits up to ten seconds for the window to be there. */
export function topmostScript(pid: number): string {
  return [
    "Add-Type -Namespace Deskside -Name Window -MemberDefinition '",
    '[DllImport("user32.dll")] public static extern bool SetWindowPos(IntPtr w, IntPtr after, int x, int y, int cx, int cy, uint flags);',
    '[DllImport("user32.dll")] public static extern bool SetForegroundWindow(IntPtr w);',
    "';",
    `$p = Get-Process -Id ${pid};`,
    'for ($i = 0; $i -lt 100 -and $p.MainWindowHandle -eq 0; $i++) { Start-Sleep -Milliseconds 100; $p.Refresh() }',
    // HWND_TOPMOST; SWP_NOSIZE | SWP_NOMOVE | SWP_SHOWWINDOW
    '[Deskside.Window]::SetWindowPos($p.MainWindowHandle, [IntPtr]-1, 0, 0, 0, 0, 0x43) | Out-Null;',
    '[Deskside.Window]::SetForegroundWindow($p.MainWindowHandle) | Out-Null',
  ].join('\n');
}
