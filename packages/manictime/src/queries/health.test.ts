import { temporaryFolder } from '@deskside/testkit';
import { expect, test } from 'vitest';
import { writeExampleFolder } from '../testing/example-folder.ts';
import { openTestServer } from '../testing/test-server.ts';

test('a database of another version of ManicTime is reported by health, but not degraded', async () => {
  const folder = temporaryFolder();
  await writeExampleFolder(folder, "UPDATE Ar_Environment SET ManicTimeVersion = '2027.1.0.0'");
  await using server = openTestServer(folder);
  expect(await server.resource('manictime://health')).toMatchObject({
    status: 'Healthy',
    manicTimeVersion: '2027.1.0.0',
    issues: [{ code: 'ManicTimeVersionUntested', severity: 'Note' }],
  });
});
