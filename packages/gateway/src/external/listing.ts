import type {
  Implementation,
  Prompt,
  Resource,
  ResourceTemplateType,
  ServerCapabilities,
  Tool,
} from '@modelcontextprotocol/client';

/**
 * Everything that a server says about itself, unchanged: what a client sees, and what acceptance covers. The names are
 * the server's own.
 */
export interface ServerListing {
  readonly serverInfo: Implementation;
  /** Decides the era in which the desk speaks to the server. */
  readonly protocolVersion: string;
  readonly capabilities: ServerCapabilities;
  readonly instructions?: string;
  readonly tools: readonly Tool[];
  readonly prompts: readonly Prompt[];
  readonly resources: readonly Resource[];
  readonly resourceTemplates: readonly ResourceTemplateType[];
}

export type ListMember = 'tools' | 'prompts' | 'resources' | 'resourceTemplates';

/** What of the lists of a server cannot be used. */
export interface ListProblems {
  /** What stands in the listing for them is empty. */
  readonly failed: readonly ListMember[];
  /** A sentence each, for people. */
  readonly sentences: readonly string[];
}

export const NO_PROBLEMS: ListProblems = { failed: [], sentences: [] };

/** The listing, with the last known lists in place of those that failed. */
export function withLast(
  listing: ServerListing,
  { failed }: ListProblems,
  last: ServerListing | undefined,
): ServerListing {
  return last === undefined
    ? listing
    : { ...listing, ...Object.fromEntries(failed.map((member) => [member, last[member]])) };
}

/** Where a mount gets its listing, and to whom it reports what the server lists now. */
export interface ListingSource {
  /** What may be used, also while the server does not run. Undefined before the first acceptance. */
  current(): ServerListing | undefined;
  /**
   * Called after each start of the server and after each change of its lists, with all pages. Returns what may be used:
   * what is unchanged goes on, what is new or different waits.
   */
  observed(listing: ServerListing, problems?: ListProblems): Promise<ServerListing>;
  /** Calls back with what may be used when a person accepts something, or when that counts no longer. */
  onAccepted?(listener: (usable: ServerListing) => void): void;
}
