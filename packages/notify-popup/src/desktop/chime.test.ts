import { temporaryFolder } from '@deskside/testkit';
import { expect, test } from 'vitest';
import { testSystem } from '../testing/samples.ts';
import { playChime, playersFor } from './chime.ts';

test('a system without a player plays no chime and reports no error', async () => {
  const folder = temporaryFolder();
  const env = { PATH: folder, XDG_RUNTIME_DIR: folder };
  await expect(playChime('end', testSystem({ env }))).resolves.toBeUndefined();
});

test('a path with an apostrophe stays one string in the PowerShell command', () => {
  expect(playersFor('win32', String.raw`C:\it's\chime.wav`)[0]?.args.at(-1)).toBe(
    String.raw`(New-Object Media.SoundPlayer 'C:\it''s\chime.wav').PlaySync()`,
  );
});
