import childProcess, { ChildProcess } from 'node:child_process';
import { syncBuiltinESMExports } from 'node:module';
import { expect, test, vi } from 'vitest';
import { testSystem } from '../testing/samples.ts';
import { chromium } from './chromium.ts';
import { killProcessTree } from './process.ts';

/** The calls that would start programs. */
function started(work: () => void) {
  const execFile = vi.spyOn(childProcess, 'execFile').mockReturnValue(new ChildProcess());
  syncBuiltinESMExports();
  try {
    work();
    return execFile.mock.calls;
  } finally {
    execFile.mockRestore();
    syncBuiltinESMExports();
  }
}

const windows = testSystem({ platform: 'win32' });

test.each([
  ['taskkill', () => killProcessTree('win32', 42)],
  ['powershell', () => chromium.onStart?.(windows, 42, true)],
])('%s opens no console window', (command, work) => {
  const options = expect.objectContaining({ windowsHide: true });
  const call = [command, expect.anything(), options, expect.any(Function)];
  expect(started(work)).toStrictEqual([call]);
});

test.each([
  // SWP_NOSIZE | SWP_NOMOVE | SWP_SHOWWINDOW, for news SWP_NOACTIVATE too
  ['a question takes', true, '0x43'],
  ['news leaves', false, '0x53'],
])('on Windows %s the keyboard', (_, takesKeyboard, flags) => {
  const [script] = started(() => chromium.onStart?.(windows, 42, takesKeyboard)).flatMap(([, args]) =>
    JSON.stringify(args),
  );
  expect(script).toContain(`, 0, 0, 0, 0, ${flags}) | Out-Null`);
  expect(script?.includes('::SetForegroundWindow(')).toBe(takesKeyboard);
});
