import { statSync } from 'node:fs';
import manifest from '../../package.json' with { type: 'json' };
import { findTracker } from '../installation/tracker.ts';
import type { LocationSource } from '../installation/data-location.ts';
import type { ManicTime } from '../manictime.ts';
import { Problem } from '../problem.ts';
import type { Capability } from './capabilities.ts';
import { capabilitiesOf, lackingIssues } from './capabilities.ts';
import { readEnvironments } from './environment.ts';
import { fatal, type HealthStatus, type Issue, statusOf, warning } from './issues.ts';
import { type ScreenshotHealth, screenshotHealth } from './screenshot-health.ts';

/** The version of ManicTime whose databases this was written against. */
const TESTED_VERSION = '2025.3.5.0';

export interface Health {
  readonly status: HealthStatus;
  readonly dataDirectory?: string | undefined;
  readonly directorySource: LocationSource;
  readonly databaseExists: boolean;
  readonly databaseSizeBytes?: number | undefined;
  readonly schemaStatus: 'Valid' | 'ValidWithWarnings' | 'Invalid' | 'Unknown';
  readonly manicTimeProcessRunning?: boolean | undefined;
  readonly manicTimeProcessId?: number | undefined;
  readonly manicTimeVersion?: string | undefined;
  readonly testedManicTimeVersion: string;
  readonly screenshots: ScreenshotHealth;
  readonly privacy: { readonly excludeRules: number; readonly redactRules: number; readonly note?: string };
  readonly mcpServerVersion: string;
  readonly capabilities: readonly Capability[];
  readonly issues: readonly Issue[];
}

export async function checkHealth(manictime: ManicTime, signal?: AbortSignal): Promise<Health> {
  const { folder, source } = await manictime.location();
  const [data, screenshots, tracker] = await Promise.all([
    checkDatabase(manictime, folder, signal),
    screenshotHealth(manictime.screenshots),
    findTracker(),
  ]);
  const issues = [
    ...data.issues,
    ...screenshots.issues,
    ...(tracker?.running === false ? [notRunning] : []),
    ...versionIssues(data.version),
  ];
  const { exclude, redact } = manictime.privacy;
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
            note: 'The person keeps some things private: they are left out of every answer, or shown without a name.',
          }),
    },
    mcpServerVersion: manifest.version,
    capabilities: data.capabilities,
    issues,
  };
}

interface DatabaseHealth {
  readonly size: number | undefined;
  readonly schemaStatus: Health['schemaStatus'];
  readonly version: string | undefined;
  readonly capabilities: readonly Capability[];
  readonly issues: readonly Issue[];
}

async function checkDatabase(
  { database }: ManicTime,
  folder: string | undefined,
  signal: AbortSignal | undefined,
): Promise<DatabaseHealth> {
  const size =
    folder === undefined ? undefined : statSync(await database.file(), { throwIfNoEntry: false })?.size;
  try {
    return await database.read((snapshot) => {
      const issues = lackingIssues(snapshot);
      const versions = readEnvironments(snapshot).map(({ manicTimeVersion }) => manicTimeVersion);
      return {
        size,
        schemaStatus: issues.length === 0 ? ('Valid' as const) : ('ValidWithWarnings' as const),
        version: versions.find((version) => version !== undefined),
        capabilities: capabilitiesOf(snapshot),
        issues,
      };
    }, signal);
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    const schemaStatus = error.text.code === 'SCHEMA_UNSUPPORTED' ? 'Invalid' : 'Unknown';
    return { size, schemaStatus, version: undefined, capabilities: [], issues: [issueOf(error)] };
  }
}

const CODES: Readonly<Partial<Record<Problem['text']['code'], string>>> = {
  DATA_DIRECTORY_UNRESOLVED: 'DataDirectoryUnresolved',
  DATABASE_NOT_FOUND: 'DatabaseNotFound',
  DATABASE_DAMAGED: 'DatabaseIntegrityCheckFailed',
  SCHEMA_UNSUPPORTED: 'SchemaValidationFailed',
  BUSY: 'DatabaseBusy',
};

function issueOf({ text }: Problem): Issue {
  return fatal(CODES[text.code] ?? 'DatabaseUnreadable', text.error, text.hint);
}

const notRunning = warning(
  'ManicTimeProcessNotRunning',
  'ManicTime is not running: nothing new is tracked.',
  'Start ManicTime.',
);

function versionIssues(version: string | undefined): Issue[] {
  if (version === undefined || version === TESTED_VERSION) return [];
  return [
    warning(
      'ManicTimeVersionUntested',
      `ManicTime ${version} was found; this server was written against ${TESTED_VERSION}.`,
      'Nothing needs to be done unless answers look wrong.',
    ),
  ];
}
