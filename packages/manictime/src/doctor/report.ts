import type { Health } from '../health/health.ts';
import type { DataSpan } from '../timeline/data-span.ts';
import { formatDate } from '../time/wall-clock.ts';

/** The health as lines for a person: what was found, what is missing, what to do. */
export function doctorReport(health: Health, { start, end }: DataSpan): string[] {
  const { privacy, screenshots } = health;
  const found = [
    `Data folder   ${health.dataDirectory ?? 'not found'} (${SOURCES[health.directorySource]})`,
    `Database      ${databaseLine(health)}`,
    `Data          ${start === undefined || end === undefined ? 'unknown' : `${formatDate(start)} to ${formatDate(end)}`}`,
    `ManicTime     ${health.manicTimeVersion ?? 'version unknown'}${runningNote(health)}`,
    `Screenshots   ${screenshots.status}${screenshots.firstDay === undefined ? '' : `, ${screenshots.firstDay} to ${screenshots.lastDay}`}`,
    `Private       ${privacy.excludeRules} rules leave things out, ${privacy.redactRules} hide names`,
  ];
  const lacking = health.capabilities.filter(({ available }) => !available);
  const capabilities = lacking.map(
    ({ name, fallbackActive }) => `  - ${name}${fallbackActive ? ' (something else stands in)' : ''}`,
  );
  const issues = health.issues.flatMap(({ severity, code, message, remediation }) => [
    `  - ${severity} ${code}: ${message}`,
    `    ${remediation}`,
  ]);
  return [
    `deskside-manictime ${health.mcpServerVersion}: ${health.status}`,
    '',
    ...found,
    ...(capabilities.length === 0 ? [] : ['', 'Not in this database:', ...capabilities]),
    ...(issues.length === 0 ? ['', 'Nothing is wrong.'] : ['', 'What to do:', ...issues]),
  ];
}

const SOURCES: Readonly<Record<Health['directorySource'], string>> = {
  Option: 'from --data-dir',
  EnvironmentVariable: 'from MANICTIME_DATA_DIR',
  Registry: "from ManicTime's registry entry",
  LocalAppData: "ManicTime's default",
  Demo: 'made-up data',
  Unresolved: 'pass --data-dir or set MANICTIME_DATA_DIR',
};

function databaseLine({ databaseExists, databaseSizeBytes = 0, schemaStatus }: Health): string {
  if (!databaseExists) return 'not found';
  return `${(databaseSizeBytes / 1_000_000).toFixed(1)} MB, schema ${schemaStatus}`;
}

function runningNote({ manicTimeProcessRunning }: Health): string {
  if (manicTimeProcessRunning === undefined) return '';
  return manicTimeProcessRunning ? ', running' : ', not running';
}
