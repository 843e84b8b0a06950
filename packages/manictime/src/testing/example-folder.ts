import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { picture } from './generated-screenshots.ts';
import { writeFixture } from './fixture.ts';
import { file, named, row, site } from './test-server.ts';

const state = (from: string, to: string, name: string) => row(from, to, name, { name });

/**
 * Writes the morning of the published examples.
 *
 * @param sql to run at the end
 */
export async function writeExampleFolder(folder: string, sql = ''): Promise<void> {
  const title = { name: 'server.ts - deskside' };
  writeFixture(folder, {
    applications: [
      row('09:00', '10:30', 'Visual Studio Code', { ...title, id: 1 }),
      row('10:30', '11:00', 'Google Chrome', { name: 'Issues', id: 2 }),
      row('11:00', '11:30', 'Visual Studio Code', { ...title, id: 3 }),
    ],
    documents: [
      file('09:00', '10:30', 'server.ts', { name: String.raw`C:\projects\server.ts`, relatedId: 1 }),
      site('10:30', '11:00', 'github.com', { name: 'https://github.com/deskside/issues', relatedId: 2 }),
    ],
    usage: [
      state('2025-01-14 18:00:00', '09:00', 'Power off'),
      state('09:00', '10:00', 'Active'),
      state('10:00', '10:15', 'Away'),
      state('10:15', '11:30', 'Active'),
    ],
    tags: [named('09:00', '10:30', 'Deskside, Billable')],
    sql: `
      INSERT INTO Ar_ApplicationByDay (Hour, CommonId, TotalSeconds) VALUES
        ('2025-01-15 09:00:00', 1, 3600), ('2025-01-15 10:00:00', 1, 900), ('2025-01-15 10:00:00', 2, 1800), ('2025-01-15 11:00:00', 1, 1800);
      INSERT INTO Ar_WebSiteByDay (Hour, CommonId, TotalSeconds) VALUES ('2025-01-15 10:00:00', 4, 1800);
      INSERT INTO Ar_DocumentByDay (Hour, CommonId, TotalSeconds) VALUES ('2025-01-15 09:00:00', 3, 3600), ('2025-01-15 10:00:00', 3, 900);
      UPDATE Ar_Timeline SET Name = 'My programs' WHERE ReportId = 3;
      INSERT INTO Ar_Environment VALUES (1, 'DESK-01', 'Microsoft Windows 11 Pro', '2025.3.5.0', '.NET 8.0.14');
      INSERT INTO Ar_TimelineSummary
        SELECT ReportId, min(StartLocalTime), max(EndLocalTime), min(StartLocalTime), max(EndLocalTime) FROM Ar_Activity GROUP BY ReportId;
      ${sql}`,
  });
  const shots = join(folder, 'Screenshots', '2025-01-15');
  mkdirSync(shots, { recursive: true });
  const name = '2025-01-15_09-30-00_01-00_192_108_755811_0';
  writeFileSync(join(shots, `${name}.jpg`), await picture(192, 108));
  writeFileSync(join(shots, `${name}.thumbnail.jpg`), await picture(32, 18));
}
