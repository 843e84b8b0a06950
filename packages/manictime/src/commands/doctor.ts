import { defineCommand, type DoctorReport, printDoctorReport } from '@deskside/core/cli';
import { formatDate } from '@deskside/core/dates';
import { errnoOf, identityName, UserError } from '@deskside/core/errors';
import type { DataSpan } from '../database/timelines.ts';
import { checkHealth, type Health } from '../queries/health.ts';

import { openManicTime } from '../manictime.ts';
import { REPORTED_DAYS, type RuleReport } from '../queries/rule-report.ts';
import { manictimeOptions, withEnvironment } from '../options.ts';

/** Prints the health of the installation. Exits with 1 if the server cannot answer, with 0 if it only misses something. */
export const doctor = defineCommand({
  options: manictimeOptions,
  async run(options, { env, print }) {
    await using manictime = openManicTime(withEnvironment(options, env));
    const health = await checkHealth(manictime, identityName);
    const span = await manictime.records.query('dataSpan', undefined).catch((error: unknown): DataSpan => {
      if (!UserError.is(error)) throw error;
      return { start: undefined, end: undefined };
    });
    const rules = await manictime.records.query('ruleReport', undefined).catch((error: unknown) => {
      if (!UserError.is(error) && errnoOf(error) === undefined) throw error;
      return undefined;
    });
    printDoctorReport(reportOf(health, span, rules), print);
    return health.status === 'Unhealthy' ? 1 : 0;
  },
});

function reportOf(health: Health, { start, end }: DataSpan, rules: RuleReport | undefined): DoctorReport {
  const { privacy, screenshots } = health;
  const missing = health.capabilities.filter(({ available }) => !available);
  return {
    program: `deskside-manictime ${health.mcpServerVersion}: ${health.status}`,
    facts: [
      ['Data folder', `${health.dataDirectory ?? 'not found'} (${SOURCES[health.directorySource]})`],
      ['Database', databaseFact(health)],
      [
        'Data',
        start === undefined || end === undefined ? 'unknown' : `${formatDate(start)} to ${formatDate(end)}`,
      ],
      ['ManicTime', `${health.manicTimeVersion ?? 'version unknown'}${processFact(health)}`],
      [
        'Screenshots',
        `${screenshots.status}${screenshots.firstDay === undefined ? '' : `, ${screenshots.firstDay} to ${screenshots.lastDay}`}`,
      ],
      ['Privacy rules', rulesFact(privacy, rules)],
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
        problem: `${severity === 'Warning' ? 'Warning: ' : ''}${message} (${code})`,
        remedy: remediation,
      })),
      ...(rules?.rules ?? [])
        .filter(({ matches }) => matches === 0)
        .map(({ text }) => ({
          problem: `Warning: The privacy rule ${text} matches nothing in the last ${REPORTED_DAYS} days with data. (PrivacyRuleUnused)`,
          remedy: 'Compare it with the names in ManicTime. No action is needed if it names something rare.',
        })),
    ],
  };
}

function rulesFact({ excludeRules, redactRules }: Health['privacy'], rules: RuleReport | undefined): string {
  const count = `${excludeRules} exclude, ${redactRules} redact`;
  if (rules === undefined) return count;
  return [
    count,
    ...rules.rules.map(({ effect, text, matches }) => `${effect} ${text}: matches ${matches}`),
    `In the last ${REPORTED_DAYS} days with data they hide ${rules.activities} activities and ${rules.screenshots} screenshots.`,
  ].join('\n');
}

const SOURCES: Readonly<Record<Health['directorySource'], string>> = {
  Option: 'from --data-dir',
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
