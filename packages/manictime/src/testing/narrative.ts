import { temporaryFolder } from '@deskside/testkit';
import { openCalled } from './call.ts';
import { type Fixture, type FixtureRow, writeFixture } from './fixture.ts';

export const DAY = { startDate: '2025-01-15', endDate: '2025-01-16' };

/** `row('09:00', '10:00', 'Chrome')` on the day of the tests. */
export function row(from: string, to: string, group: string, more: Partial<FixtureRow> = {}): FixtureRow {
  return { from: dated(from), to: dated(to), group, name: `${group} window`, ...more };
}

export interface Told {
  readonly totalActiveMinutes: number;
  readonly segments: readonly {
    readonly start: string;
    readonly end: string;
    readonly durationMinutes: number;
    readonly [key: string]: unknown;
  }[];
  readonly [key: string]: unknown;
}

/** The narrative of a database made by hand. */
export async function narrative(fixture: Fixture, args: Record<string, unknown> = {}): Promise<Told> {
  const folder = temporaryFolder();
  writeFixture(folder, fixture);
  await using server = openCalled(folder);
  const answer = await server.answer('get_activity_narrative', { ...DAY, ...args });
  return answer as Told;
}

function dated(clock: string): string {
  return clock.length > 8 ? clock : `2025-01-15 ${clock.length === 5 ? `${clock}:00` : clock}`;
}
