/** A server that answers. */
export interface Serving {
  /** Where, when it is HTTP: `http://127.0.0.1:3333/mcp`. */
  readonly url?: string;
  /** Resolves when it answers no more, whatever ended it. */
  readonly closed: Promise<void>;
  /** Lets what runs finish for at most 1.5 s, aborts the rest. */
  close(): Promise<void>;
}
