import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** A text value of the Windows registry; undefined where it is missing, empty or can't be asked for. */
export async function registryValue(key: string, name: string): Promise<string | undefined> {
  try {
    const { stdout } = await run('reg.exe', ['query', key, '/v', name], { windowsHide: true, timeout: 5000 });
    return valueIn(stdout, name);
  } catch {
    return undefined;
  }
}

/** @param output of `reg query`: the key in one line, then `    name    REG_SZ    value` */
export function valueIn(output: string, name: string): string | undefined {
  for (const line of output.split(/\r?\n/)) {
    const [, found, value] = /^\s+(\S+)\s+REG_(?:EXPAND_)?SZ\s+(.*?)\s*$/.exec(line) ?? [];
    if (found?.toLowerCase() === name.toLowerCase() && value !== undefined && value !== '') return value;
  }
  return undefined;
}
