import { defineDoctor, type DoctorReport } from '@deskside/core/program';
import { formatDate } from '@deskside/core/dates';
import { identityName, UserError } from '@deskside/core/errors';
import type { DataSpan } from '../database/timelines.ts';
import { checkHealth, type Health } from '../queries/health.ts';
import { openManicTime } from '../manictime.ts';
import { REPORTED_DAYS } from '../queries/unused-rules.ts';
import { manictimeOptions, originOf } from '../options.ts';

/** Prints the health of the installation. Exits with 1 if the server cannot answer, with 0 if it only misses something. */
export const doctor = defineDoctor({
  options: manictimeOptions,
  async examine(options, { env }) {
    await using manictime = openManicTime(options, originOf(options, env));
    const health = await checkHealth(manictime, identityName);
    const { records } = manictime;
    const span = await records.query('dataSpan', undefined).catch(undefinedIfUnreadable);
    const unused = await records.query('unusedRules', undefined).catch(undefinedIfUnreadable);
    return reportOf(health, span, unused ?? []);
  },
});

/** Health says why. */
function undefinedIfUnreadable(error: unknown): undefined {
  if (!UserError.is(error)) throw error;
}

function reportOf(health: Health, span: DataSpan | undefined, unused: readonly string[]): DoctorReport {
  const { start, end } = span ?? {};
  const { privacy, screenshots } = health;
  const missing = health.capabilities.filter(({ available }) => !available);
  return {
    program: `deskside-manictime ${health.mcpServerVersion}: ${health.status}`,
    works: health.status !== 'Unhealthy',
    facts: [
      ['Data folder', `${health.dataDirectory ?? 'not found'} (${SOURCES[health.directorySource]})`],
      ['Database', databaseFact(health), 'detail'],
      [
        'Data',
        start === undefined || end === undefined ? 'unknown' : `${formatDate(start)} to ${formatDate(end)}`,
      ],
      ['ManicTime', `${health.manicTimeVersion ?? 'version unknown'}${processFact(health)}`, 'detail'],
      [
        'Screenshots',
        `${screenshots.status}${screenshots.firstDay === undefined ? '' : `, ${screenshots.firstDay} to ${screenshots.lastDay}`}`,
      ],
      ['Privacy rules', `${privacy.excludeRules} exclude, ${privacy.redactRules} redact`],
      ...(missing.length === 0
        ? []
        : [
            [
              'Missing',
              missing
                .map(({ name, fallbackActive }) => `${name}${fallbackActive ? ' (a fallback is used)' : ''}`)
                .join('\n'),
            ] as const,
          ]),
    ],
    problems: [
      ...health.issues.map(({ severity, code, message, remediation }) => ({
        problem: `${severity === 'Fatal' ? '' : `${severity}: `}${message} (${code})`,
        remedy: remediation,
      })),
      ...unused.map((text) => ({
        problem: `Warning: The privacy rule ${text} matches nothing in the last ${REPORTED_DAYS} days with data. (PrivacyRuleUnused)`,
        remedy: 'Compare it with the names in ManicTime. No action is needed if it names something rare.',
      })),
    ],
  };
}

const SOURCES: Readonly<Record<Health['directorySource'], string>> = {
  Option: 'from an option',
  EnvironmentVariable: 'from MANICTIME_DATA_DIR',
  Registry: "from ManicTime's registry entry",
  LocalAppData: "ManicTime's default",
  Demo: 'demo data',
  Unresolved: 'pass --data-dir or set MANICTIME_DATA_DIR',
};

function databaseFact({ databaseExists, databaseSizeBytes = 0, schemaStatus }: Health): string {
  if (!databaseExists) return 'not found';
  return `${(databaseSizeBytes / 1_000_000).toFixed(1)} MB, schema ${schemaStatus}`;
}

function processFact({ manicTimeProcessRunning }: Health): string {
  if (manicTimeProcessRunning === undefined) return '';
  return manicTimeProcessRunning ? ', running' : ', not running';
}
