export type ProfileName = 'light' | 'typical' | 'heavy';

/** How much a person does on a weekday. */
export interface Profile {
  readonly applicationRows: number;
  readonly applications: number;
  readonly sites: number;
  /** Share of application rows with a document or website. */
  readonly documentShare: number;
  readonly breaks: number;
  readonly tags: number;
  readonly shots: number;
}

export const PROFILES: Readonly<Record<ProfileName, Profile>> = {
  light: {
    applicationRows: 180,
    applications: 40,
    sites: 150,
    documentShare: 0.55,
    breaks: 4,
    tags: 2,
    shots: 240,
  },
  typical: {
    applicationRows: 700,
    applications: 150,
    sites: 1500,
    documentShare: 0.6,
    breaks: 8,
    tags: 8,
    shots: 960,
  },
  heavy: {
    applicationRows: 1500,
    applications: 400,
    sites: 6000,
    documentShare: 0.6,
    breaks: 19,
    tags: 20,
    shots: 2880,
  },
};

/**
 * The two known column layouts: `current` has `CommonId`, `Hour` and a Tags timeline; `earlier` has `CommonGroupId`,
 * `Day` and tag tables.
 */
export type ColumnLayout = 'current' | 'earlier';

export interface DataOptions {
  /** Created if it does not exist. */
  readonly folder: string;
  readonly profile: ProfileName;
  readonly days: number;
  /** The last day, `yyyy-MM-dd`. */
  readonly until: string;
  readonly seed: number;
  readonly layout?: ColumnLayout;
  /** Creates an index on (ReportId, StartLocalTime). Default true. */
  readonly startIndex?: boolean;
  /** Number of last days with screenshots. Default 0. */
  readonly screenshotDays?: number;
}
