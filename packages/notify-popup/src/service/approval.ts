/** How long a yes counts. */
export type Scope = 'once' | 'session' | 'always';

/** What the person decides on. All texts are of other programs. */
export interface Approval {
  /** What the server says of the tool, as its own claim. */
  readonly claim?: string;
  readonly arguments: readonly { readonly name: string; readonly value: string }[];
  /** How many equal calls wait. */
  readonly calls: number;
  /** What the person can choose besides `once`, in this order. */
  readonly more: readonly Exclude<Scope, 'once'>[];
  /** True if `always` is for exactly these arguments. */
  readonly isExact: boolean;
}
