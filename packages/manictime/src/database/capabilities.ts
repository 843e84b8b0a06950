import { aggregateTable } from './aggregates.ts';
import type { Snapshot } from './snapshot.ts';
import { hasTags } from './tags.ts';
import { ofKind } from './model/activity.ts';

/** A feature that depends on what the database contains. */
export interface Capability {
  readonly name: string;
  readonly available: boolean;
  /** Whether a fallback replaces it. */
  readonly fallbackActive: boolean;
}

interface Check {
  readonly name: string;
  readonly has: (snapshot: Snapshot) => boolean;
  readonly fallback: boolean;
  /** The effect if it is missing; empty if that is normal for some layouts. */
  readonly missing: string;
}

const CHECKS: readonly Check[] = [
  {
    name: 'Applications',
    has: ({ timelines }) => ofKind(timelines, 'applications').length > 0,
    fallback: false,
    missing:
      'The Applications timeline is missing, so narratives are empty. Switch on application tracking in ManicTime.',
  },
  {
    name: 'ComputerUsage',
    has: ({ timelines }) => ofKind(timelines, 'usage').length > 0,
    fallback: true,
    missing: 'The ComputerUsage timeline is missing, so away and locked time counts as active.',
  },
  {
    name: 'PreAggregatedAppUsage',
    has: ({ layout }) => aggregateTable(layout, 'Application') !== undefined,
    fallback: true,
    missing: 'The totals of application usage are missing; they are computed from single activities.',
  },
  {
    name: 'PreAggregatedWebUsage',
    has: ({ layout }) => aggregateTable(layout, 'WebSite') !== undefined,
    fallback: true,
    missing: 'The totals of website usage are missing; they are computed from single activities.',
  },
  {
    name: 'PreAggregatedDocUsage',
    has: ({ layout }) => aggregateTable(layout, 'Document') !== undefined,
    fallback: true,
    missing: 'The totals of document usage are missing; they are computed from single activities.',
  },
  {
    name: 'HourlyUsage',
    has: ({ layout }) => aggregateTable(layout, 'WebSite')?.grain === 'hour',
    fallback: true,
    missing: '',
  },
  {
    name: 'CommonGroup',
    has: ({ layout }) => layout.has('Ar_CommonGroup'),
    fallback: true,
    missing: 'Shared groups are missing, so names and colors can differ between timelines.',
  },
  {
    name: 'Tags',
    has: hasTags,
    fallback: false,
    missing: 'The database has no tags: neither a Tags timeline nor tag tables.',
  },
  {
    name: 'TimelineSummary',
    has: ({ layout }) => layout.has('Ar_TimelineSummary', 'ReportId', 'StartLocalTime', 'EndLocalTime'),
    fallback: true,
    missing: 'The timeline summary is missing; the data range is computed from activities.',
  },
  {
    name: 'Environment',
    has: ({ layout }) => layout.has('Ar_Environment'),
    fallback: false,
    missing: 'The table of devices is missing, so device and version are unknown.',
  },
];

export function capabilitiesOf(snapshot: Snapshot): Capability[] {
  return CHECKS.map(({ name, has, fallback }) => {
    const available = has(snapshot);
    return { name, available, fallbackActive: !available && fallback };
  });
}

/** A warning for each missing capability. */
export function missingCapabilityIssues(snapshot: Snapshot): Issue[] {
  return CHECKS.filter(({ has, missing }) => missing !== '' && !has(snapshot)).map(({ name, missing }) =>
    warning('SupplementalTableMissing', `${name}: ${missing}`, 'Update ManicTime and start it once.'),
  );
}

/** `Fatal`: the server cannot answer. `Warning`: some answers are incomplete. `Note`: all answers are complete. */
export type Severity = 'Fatal' | 'Warning' | 'Note';

export interface Issue {
  readonly code: string;
  readonly severity: Severity;
  readonly message: string;
  readonly remediation: string;
}

export type HealthStatus = 'Healthy' | 'Degraded' | 'Unhealthy';

export function statusOf(issues: readonly Issue[]): HealthStatus {
  if (issues.some(({ severity }) => severity === 'Fatal')) return 'Unhealthy';
  return issues.some(({ severity }) => severity === 'Warning') ? 'Degraded' : 'Healthy';
}

export function warning(code: string, message: string, remediation: string): Issue {
  return { code, severity: 'Warning', message, remediation };
}

export function fatal(code: string, message: string, remediation: string): Issue {
  return { code, severity: 'Fatal', message, remediation };
}
