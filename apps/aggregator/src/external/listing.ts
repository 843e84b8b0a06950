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

/** Where a mount gets its listing, and to whom it reports what the server lists now. */
export interface ListingSource {
  /** What may be used, also while the server does not run. Undefined before the first acceptance. */
  current(): ServerListing | undefined;
  /**
   * Called after each start of the server and after each change of its lists, with all pages. Returns what may be used:
   * what is unchanged goes on, what is new or different waits.
   */
  observed(listing: ServerListing): Promise<ServerListing>;
  /** Calls back with what may be used after a person has accepted something. */
  onAccepted?(listener: (usable: ServerListing) => void): void;
}
