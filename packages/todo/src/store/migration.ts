/** A step of the schema. */
export interface Migration {
  readonly name: string;
  /** Statements that raise the schema by one version. */
  readonly sql: string;
}
