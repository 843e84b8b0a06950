/** What the agent said and, where there is one, the answer that followed. */
export interface Exchange {
  readonly message: string;
  readonly reply?: string;
  readonly at: Date;
}
