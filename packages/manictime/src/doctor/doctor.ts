import { checkHealth } from '../health/health.ts';
import type { ManicTime } from '../manictime.ts';
import { Problem } from '../problem.ts';
import { type DataSpan, dataSpan } from '../timeline/data-span.ts';
import { doctorReport } from './report.ts';

/** @returns the report, and whether the server would be of use */
export async function examine(
  manictime: ManicTime,
): Promise<{ readonly report: readonly string[]; readonly usable: boolean }> {
  const health = await checkHealth(manictime);
  const span = await manictime.database.read(dataSpan).catch((error: unknown): DataSpan => {
    if (!(error instanceof Problem)) throw error;
    return { start: undefined, end: undefined };
  });
  return { report: doctorReport(health, span), usable: health.status !== 'Unhealthy' };
}
