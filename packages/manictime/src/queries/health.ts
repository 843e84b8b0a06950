import { statSync } from 'node:fs';
import { type CodedFailure, textOf, type ToolName, UserError } from '@deskside/core/errors';
import manifest from '../../package.json' with { type: 'json' };
import type { PrivacyRules } from '../analysis/privacy.ts';
import { databaseFile } from '../database/file.ts';
import { unknownUsageStates } from '../database/model/notes.ts';
import type { ScreenshotFolder } from '../screenshots/folder.ts';
import { FOLDER_NOTES } from '../screenshots/selection.ts';
import { type DataLocation, findManicTimeProcess } from './installation.ts';
import type { QueryCall, Records } from './records.ts';

/** The version of ManicTime whose databases this server was developed with. */
const TESTED_VERSION = '2025.3.5.0';

/** `Fatal`: the server cannot answer. `Warning`: some answers are incomplete. `Note`: all answers are complete. */
interface Issue {
  readonly code: string;
  readonly severity: 'Fatal' | 'Warning' | 'Note';
  readonly message: string;
  readonly remediation: string;
}

function statusOf(issues: readonly Issue[]): 'Healthy' | 'Degraded' | 'Unhealthy' {
  if (issues.some(({ severity }) => severity === 'Fatal')) return 'Unhealthy';
  return issues.some(({ severity }) => severity === 'Warning') ? 'Degraded' : 'Healthy';
}

function warning(code: string, message: string, remediation: string): Issue {
  return { code, severity: 'Warning', message, remediation };
}

/** What health is checked on. */
interface HealthSources {
  location(): Promise<DataLocation>;
  readonly records: Records;
  readonly screenshots: ScreenshotFolder;
  readonly privacy: PrivacyRules;
}

interface ScreenshotHealth {
  readonly status: 'Available' | 'Unavailable' | 'Unknown';
  readonly reason?: 'CaptureDisabled' | 'Retention' | 'Unreadable';
  readonly remediationHint?: string;
  readonly firstDay?: string;
  readonly lastDay?: string;
}

export type Health = Awaited<ReturnType<typeof checkHealth>>;

export async function checkHealth(sources: HealthSources, toolName: ToolName, call: QueryCall = {}) {
  const { folder, source } = await sources.location();
  const [data, screenshots, tracker] = await Promise.all([
    checkDatabase(sources, folder, toolName, call),
    checkScreenshots(sources),
    findManicTimeProcess(),
  ]);
  const issues = [
    ...data.issues,
    ...screenshots.issues,
    ...(tracker?.running === false ? [notRunning] : []),
    ...(data.version === undefined || data.version === TESTED_VERSION ? [] : [untested(data.version)]),
  ];
  const { exclude, redact } = sources.privacy;
  return {
    status: statusOf(issues),
    dataDirectory: folder,
    directorySource: source,
    databaseExists: data.size !== undefined,
    databaseSizeBytes: data.size,
    schemaStatus: data.schemaStatus,
    manicTimeProcessRunning: tracker?.running,
    manicTimeProcessId: tracker?.processId,
    manicTimeVersion: data.version,
    testedManicTimeVersion: TESTED_VERSION,
    screenshots: screenshots.health,
    privacy: {
      excludeRules: exclude.length,
      redactRules: redact.length,
      ...(exclude.length + redact.length === 0
        ? {}
        : {
            note: 'The person hides some activities: excluded ones appear in no answer, redacted ones without names.',
          }),
    },
    mcpServerVersion: manifest.version,
    capabilities: data.capabilities,
    issues,
  };
}

function sizeOf(folder: string): number | undefined {
  try {
    return statSync(databaseFile(folder), { throwIfNoEntry: false })?.size;
  } catch {
    // The query reports a folder that cannot be read.
    return undefined;
  }
}

async function checkDatabase(
  { records }: HealthSources,
  folder: string | undefined,
  toolName: ToolName,
  call: QueryCall,
) {
  const size = folder === undefined ? undefined : sizeOf(folder);
  try {
    const found = await records.query('capabilities', undefined, call);
    const { capabilities, missing, environments, unknownStates } = found;
    const versions = environments.map(({ manicTimeVersion }) => manicTimeVersion);
    return {
      size,
      schemaStatus: missing.length === 0 ? ('Valid' as const) : ('ValidWithWarnings' as const),
      version: versions.find((version) => version !== undefined),
      capabilities,
      issues: [
        ...missing.map(({ name, note }) =>
          warning('SupplementalTableMissing', `${name} is missing.`, note.remediationHint),
        ),
        ...(unknownStates ? [unknownStatesIssue] : []),
      ],
    };
  } catch (error) {
    if (!UserError.is(error) || !('code' in error.failure)) throw error;
    const { failure } = error;
    const schemaStatus = failure.code === 'SCHEMA_UNSUPPORTED' ? ('Invalid' as const) : ('Unknown' as const);
    const issues = [issueOf(failure, toolName)];
    return { size, schemaStatus, version: undefined, capabilities: [], issues };
  }
}

const ISSUE_CODES: Readonly<Record<string, string>> = {
  DATA_DIRECTORY_UNRESOLVED: 'DataDirectoryUnresolved',
  DATABASE_NOT_FOUND: 'DatabaseNotFound',
  DATABASE_DAMAGED: 'DatabaseIntegrityCheckFailed',
  SCHEMA_UNSUPPORTED: 'SchemaValidationFailed',
  BUSY: 'DatabaseBusy',
};

function issueOf({ code, error, hint }: CodedFailure, toolName: ToolName): Issue {
  return {
    code: ISSUE_CODES[code] ?? 'DatabaseUnreadable',
    severity: 'Fatal',
    message: error,
    remediation: textOf(hint, toolName),
  };
}

const unknownStatesIssue = warning(
  unknownUsageStates.reasonCode,
  'Some computer usage states of the last days are unknown.',
  unknownUsageStates.remediationHint,
);

const notRunning = warning(
  'ManicTimeProcessNotRunning',
  'ManicTime is not running, so nothing new is tracked.',
  'Start ManicTime.',
);

function untested(version: string): Issue {
  return {
    code: 'ManicTimeVersionUntested',
    severity: 'Note',
    message: `Found ManicTime ${version}; this server was developed with ${TESTED_VERSION}.`,
    remediation: 'No action is needed unless answers look wrong.',
  };
}

const SCREENSHOT_REASONS = {
  absent: 'CaptureDisabled',
  empty: 'Retention',
  unreadable: 'Unreadable',
} as const;

async function checkScreenshots({
  screenshots,
}: HealthSources): Promise<{ readonly health: ScreenshotHealth; readonly issues: readonly Issue[] }> {
  if ((await screenshots.root()) === undefined) return { health: { status: 'Unknown' }, issues: [] };
  const { kind, ...days } = await screenshots.state();
  if (kind === 'present') return { health: { status: 'Available', ...days }, issues: [] };
  const { reasonCode, remediationHint } = FOLDER_NOTES[kind];
  return {
    health: { status: 'Unavailable', reason: SCREENSHOT_REASONS[kind], remediationHint },
    issues: [warning(reasonCode, 'No screenshots are found.', remediationHint)],
  };
}
