/** What a timeline tracks; `other` is a plugin's. */
export type TimelineKind = 'applications' | 'documents' | 'urls' | 'usage' | 'tags' | 'other';

export interface Timeline {
  readonly reportId: number;
  readonly schemaName: string;
  readonly baseSchemaName: string | undefined;
  /** The device it was tracked on; undefined where the database does not say. */
  readonly environment: string | undefined;
  readonly kind: TimelineKind;
}

const KINDS: Readonly<Record<string, TimelineKind>> = {
  'manictime/applications': 'applications',
  'manictime/documents': 'documents',
  'manictime/browserurls': 'urls',
  'manictime/computerusage': 'usage',
  'manictime/tags': 'tags',
};

/** By its own schema, and else by the one it builds on. */
export function kindOf(schemaName: string, baseSchemaName: string | undefined): TimelineKind {
  return KINDS[schemaName.toLowerCase()] ?? KINDS[baseSchemaName?.toLowerCase() ?? ''] ?? 'other';
}

export function ofKind(timelines: readonly Timeline[], ...kinds: readonly TimelineKind[]): Timeline[] {
  return timelines.filter(({ kind }) => kinds.includes(kind));
}
