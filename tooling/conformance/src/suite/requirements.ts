import { readFile } from 'node:fs/promises';

/**
 * Revisions of the protocol, each with the number of scenarios that the suite requires of a server of it. The sets
 * are frozen: fewer are a sign of reading them wrong.
 */
const KNOWN = { '2025-11-25': 30, '2026-07-28': 37 } as const;

export type Revision = keyof typeof KNOWN;

export const revisions = ['2025-11-25', '2026-07-28'] as const satisfies readonly Revision[];

/** @throws Error when there are fewer than are known */
export async function requiredScenarios(revision: Revision): Promise<readonly string[]> {
  const file = new URL(
    `requirements/${revision}.yaml`,
    import.meta.resolve('@modelcontextprotocol/conformance/package.json'),
  );
  const [, list = ''] = /^server:\n((?: +(?:-|#) .+\n)+)/m.exec(await readFile(file, 'utf8')) ?? [];
  const scenarios = [...list.matchAll(/^ +- (\S+)/gm)].flatMap(([, name]) => name ?? []);
  if (scenarios.length < KNOWN[revision]) {
    throw new Error(
      `${revision} requires ${KNOWN[revision]} scenarios, the suite names ${scenarios.length}.`,
    );
  }
  return scenarios;
}
