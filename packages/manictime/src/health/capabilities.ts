import { aggregateTable } from '../database/sql/aggregates.ts';
import type { Snapshot } from '../database/snapshot.ts';
import { hasTags } from '../narrative/tags.ts';
import { ofKind } from '../timeline/timelines.ts';
import { type Issue, warning } from './issues.ts';

/** Something the server does better where the database has what it takes. */
export interface Capability {
  readonly name: string;
  readonly available: boolean;
  /** Whether something else stands in for it. */
  readonly fallbackActive: boolean;
}

interface Check {
  readonly name: string;
  readonly has: (snapshot: Snapshot) => boolean;
  readonly fallback: boolean;
  readonly lacking: string;
}

const CHECKS: readonly Check[] = [
  {
    name: 'Applications',
    has: ({ timelines }) => ofKind(timelines, 'applications').length > 0,
    fallback: false,
    lacking:
      'There is no Applications timeline: narratives are empty. Switch application tracking on in ManicTime.',
  },
  {
    name: 'ComputerUsage',
    has: ({ timelines }) => ofKind(timelines, 'usage').length > 0,
    fallback: true,
    lacking: 'There is no ComputerUsage timeline: away and locked time counts as active.',
  },
  {
    name: 'PreAggregatedAppUsage',
    has: ({ layout }) => aggregateTable(layout, 'Application') !== undefined,
    fallback: true,
    lacking: 'The sums of application usage are missing: single activities are added up instead.',
  },
  {
    name: 'PreAggregatedWebUsage',
    has: ({ layout }) => aggregateTable(layout, 'WebSite') !== undefined,
    fallback: true,
    lacking: 'The sums of website usage are missing: single activities are added up instead.',
  },
  {
    name: 'PreAggregatedDocUsage',
    has: ({ layout }) => aggregateTable(layout, 'Document') !== undefined,
    fallback: true,
    lacking: 'The sums of document usage are missing: single activities are added up instead.',
  },
  {
    name: 'HourlyUsage',
    has: ({ layout }) => aggregateTable(layout, 'WebSite')?.grain === 'hour',
    fallback: true,
    lacking: '',
  },
  {
    name: 'CommonGroup',
    has: ({ layout }) => layout.has('Ar_CommonGroup'),
    fallback: true,
    lacking: 'Shared groups are missing: names and colours are those of each timeline.',
  },
  {
    name: 'Tags',
    has: hasTags,
    fallback: false,
    lacking: 'There are no tags: neither a Tags timeline nor tables of them.',
  },
  {
    name: 'TimelineSummary',
    has: ({ layout }) => layout.has('Ar_TimelineSummary', 'ReportId', 'StartLocalTime', 'EndLocalTime'),
    fallback: true,
    lacking: 'The summary of timelines is missing: the data range is found by reading activities.',
  },
  {
    name: 'Environment',
    has: ({ layout }) => layout.has('Ar_Environment'),
    fallback: false,
    lacking: 'The table of devices is missing: device and version are unknown.',
  },
];

export function capabilitiesOf(snapshot: Snapshot): Capability[] {
  return CHECKS.map(({ name, has, fallback }) => {
    const available = has(snapshot);
    return { name, available, fallbackActive: !available && fallback };
  });
}

/** What a database lacks, as warnings; hourly sums are no lack in the layouts that never had them. */
export function lackingIssues(snapshot: Snapshot): Issue[] {
  return CHECKS.filter(({ has, lacking }) => lacking !== '' && !has(snapshot)).map(({ name, lacking }) =>
    warning('SupplementalTableMissing', `${name}: ${lacking}`, 'Update ManicTime and start it once.'),
  );
}
