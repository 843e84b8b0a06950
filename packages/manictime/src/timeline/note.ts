/** What core's diagnostics are made of: one thing an answer had to do without, or the reason for its being empty. */
export interface Note {
  readonly reasonCode: string;
  readonly remediationHint: string;
  /** False for a reason that is nobody's fault: there is no data in that range. */
  readonly degraded: boolean;
}
