/** What the program knows about its own process. */
export interface Self {
  /** Of the package. */
  readonly version: string;
  readonly pid: number;
  /** Node.js and the file of this program. */
  readonly command: readonly [string, string];
  readonly platform: NodeJS.Platform;
  /** Undefined on Windows. */
  readonly uid: number | undefined;
  /** Why `deskside stdio` serves its client without a desk: a clause for people, undefined if it was asked to. */
  readonly aloneBecause?: string | undefined;
}
