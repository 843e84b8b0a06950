import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { picture } from './generated-screenshots.ts';
import { writeFixture } from './fixture.ts';

const at = (from: string, to: string) => ({ from: `2025-01-15 ${from}:00`, to: `2025-01-15 ${to}:00` });

/**
 * Writes the morning of the published examples.
 *
 * @param sql to run at the end
 */
export async function writeExampleFolder(folder: string, sql = ''): Promise<void> {
  writeFixture(folder, {
    applications: [
      { ...at('09:00', '10:30'), group: 'Visual Studio Code', name: 'server.ts - deskside', id: 1 },
      { ...at('10:30', '11:00'), group: 'Google Chrome', name: 'Issues', id: 2 },
      { ...at('11:00', '11:30'), group: 'Visual Studio Code', name: 'server.ts - deskside', id: 3 },
    ],
    documents: [
      {
        ...at('09:00', '10:30'),
        group: 'server.ts',
        type: 'ManicTime/Files',
        name: String.raw`C:\projects\server.ts`,
        relatedId: 1,
      },
      {
        ...at('10:30', '11:00'),
        group: 'github.com',
        type: 'ManicTime/WebSites',
        name: 'https://github.com/deskside/issues',
        relatedId: 2,
      },
    ],
    usage: [
      { from: '2025-01-14 18:00:00', to: '2025-01-15 09:00:00', group: 'Power off', name: 'Power off' },
      { ...at('09:00', '10:00'), group: 'Active', name: 'Active' },
      { ...at('10:00', '10:15'), group: 'Away', name: 'Away' },
      { ...at('10:15', '11:30'), group: 'Active', name: 'Active' },
    ],
    tags: [{ ...at('09:00', '10:30'), name: 'Deskside, Billable' }],
    sql: `
      INSERT INTO Ar_ApplicationByDay (Hour, CommonId, TotalSeconds) VALUES
        ('2025-01-15 09:00:00', 1, 3600), ('2025-01-15 10:00:00', 1, 900), ('2025-01-15 10:00:00', 2, 1800), ('2025-01-15 11:00:00', 1, 1800);
      INSERT INTO Ar_WebSiteByDay (Hour, CommonId, TotalSeconds) VALUES ('2025-01-15 10:00:00', 4, 1800);
      INSERT INTO Ar_DocumentByDay (Hour, CommonId, TotalSeconds) VALUES ('2025-01-15 09:00:00', 3, 3600), ('2025-01-15 10:00:00', 3, 900);
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
