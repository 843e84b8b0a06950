import { defineDoctor, type DoctorReport } from '@deskside/core/program';
import { formatDate } from '@deskside/core/dates';
import { errnoOf, identityName, UserError } from '@deskside/core/errors';
import type { DataSpan } from '../database/timelines.ts';
import { checkHealth, type Health } from '../queries/health.ts';
import { minutesOf } from '../database/model/time.ts';
import { openManicTime } from '../manictime.ts';
import type { QueryResult } from '../queries/catalog.ts';
import { type Hidden, REPORTED_DAYS } from '../queries/rule-report.ts';
import { manictimeOptions, originOf } from '../options.ts';

/** Prints the health of the installation. Exits with 1 if the server cannot answer, with 0 if it only misses something. */
export const doctor = defineDoctor({
  options: manictimeOptions,
  async examine(options, { env }) {
    await using manictime = openManicTime(options, originOf(options, env));
    const health = await checkHealth(manictime, identityName);
    const span = await manictime.records.query('dataSpan', undefined).catch(undefinedIfUnreadable);
    const rules = await manictime.records.query('ruleReport', undefined).catch(undefinedIfUnreadable);
    const unused = await manictime.records.query('unusedRules', undefined).catch(undefinedIfUnreadable);
    return reportOf(health, span, rules, unused ?? []);
  },
});

function undefinedIfUnreadable(error: unknown): undefined {
  if (!UserError.is(error) && errnoOf(error) === undefined) throw error;
}

type RuleReport = QueryResult<'ruleReport'>;

function reportOf(
  health: Health,
  { start, end }: Partial<DataSpan> = {},
  rules: RuleReport,
  unused: readonly string[],
): DoctorReport {
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

function rulesFact({ excludeRules, redactRules }: Health['privacy'], rules: RuleReport): string {
  const count = `${excludeRules} exclude, ${redactRules} redact`;
  if (rules === undefined) return count;
  const { activities, screenshots } = rules.unattributed;
  return [
    count,
    `In the last ${REPORTED_DAYS} days with data:`,
    ...rules.rules.map(({ effect, text, ...hidden }) => `${effect} ${text}: hides ${hiddenText(hidden)}`),
    `all rules together: ${hiddenText(rules.all)}`,
    ...(activities + screenshots === 0
      ? []
      : [
          `of these, ${counted(activities, 'activity', 'activities')} and ${counted(screenshots, 'screenshot')} because no known window covers them`,
        ]),
  ].join('\n');
}

function hiddenText({ activities, seconds, screenshots }: Hidden): string {
  return `${counted(activities, 'activity', 'activities')}, ${counted(minutesOf(seconds), 'active minute')}, ${counted(screenshots, 'screenshot')}`;
}

function counted(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`;
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
