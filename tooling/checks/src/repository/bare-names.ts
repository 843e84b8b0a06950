export { bareNames } from '@deskside/testkit';

interface Listing {
  readonly inputSchema: {
    readonly properties?: Readonly<Record<string, unknown>> | undefined;
    readonly required?: readonly string[] | undefined;
  };
}

const WRONG_VALUES = [null, '', 'x', -1, 1e9, [], '2025-02-30', '2020-01-01', 'x'.repeat(12_000)];

/** Argument objects that a tool rejects: no arguments, then each property with values of many kinds. */
export function* errorCalls({ inputSchema }: Listing): Generator<Record<string, unknown>> {
  const { properties = {}, required = [] } = inputSchema;
  yield {};
  const valid = Object.fromEntries(required.map((name) => [name, exampleOf(name)]));
  for (const name of Object.keys(properties)) {
    for (const value of WRONG_VALUES) yield { ...valid, [name]: value };
  }
}

/** A value that passes the schema, so that other checks are reached. */
function exampleOf(name: string): unknown {
  if (/date/i.test(name)) return '2026-01-01';
  if (/^(?:x|y|width|height)$/.test(name)) return 10;
  return name.endsWith('task_id') ? 1 : 'me';
}
