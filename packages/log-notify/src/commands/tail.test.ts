import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { StartError } from '@deskside/core/errors';
import { temporaryFolder } from '@deskside/testkit';
import { expect, test } from 'vitest';
import { jsonLine } from '../notification/json-line.ts';
import { sampleNotification } from '../testing/delivery.ts';
import { newestNotifications } from './tail.ts';

test('the newest notifications are those of the configured file, the oldest first', async () => {
  const file = join(temporaryFolder(), 'own.jsonl');
  const written = (['info', 'warn', 'error'] as const).map((level) =>
    sampleNotification(`a ${level}`, level),
  );
  writeFileSync(file, `${written.map(jsonLine).join('\n')}\nno notification\n`);
  expect(await newestNotifications(2, { env: {}, settings: { file } })).toStrictEqual([
    { id: written[1]?.id, level: 'warn', message: 'a warn' },
    { id: written[2]?.id, level: 'error', message: 'a error' },
  ]);
  const env = { LOG_NOTIFY_FILE: file };
  expect(await newestNotifications(10, { env, settings: {} })).toHaveLength(3);
});

test('newest notifications of a file that the system cannot read are an error with its path', async () => {
  const folder = join(temporaryFolder(), 'folder');
  writeFileSync(folder, 'a file');
  const file = join(folder, 'own.jsonl');
  const reading = newestNotifications(2, { env: {}, settings: { file } });
  await expect(reading).rejects.toThrow(new StartError(`${file} cannot be read (ENOTDIR).`));
});
