import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

const STDOUT = pathToFileURL(join(import.meta.dirname, 'stdout.ts')).href;

test('whatever is printed on the console goes to stderr', async () => {
  const program = `await import('${STDOUT}'); console.log('one'); console.table(['two']); console.error('three');`;
  const { stdout, stderr } = await promisify(execFile)(process.execPath, [
    '--input-type=module',
    '-e',
    program,
  ]);
  expect(stdout).toBe('');
  expect(stderr).toMatch(/one[^]*two[^]*three/);
});
