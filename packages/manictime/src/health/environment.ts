import { environments } from '../database/sql/environment.ts';
import type { Snapshot } from '../database/snapshot.ts';

/** A device that was tracked. What its database does not say is absent. */
export interface Environment {
  readonly environmentId?: number | string;
  readonly deviceName?: string;
  readonly osVersion?: string;
  readonly manicTimeVersion?: string;
  readonly dotNetVersion?: string;
}

/** The columns' names are documented nowhere: each is known by a pattern, the first that fits counts. */
const PATTERNS: Readonly<Record<keyof Environment, RegExp>> = {
  environmentId: /^EnvironmentId$/i,
  deviceName: /device|machine|computer|host/i,
  dotNetVersion: /dotnet|netframework|netversion|clr|runtime/i,
  manicTimeVersion: /manictime|(app|client|product)version/i,
  osVersion: /^os|operating|platform/i,
};

export function readEnvironments({ database, layout }: Snapshot): Environment[] {
  return environments(database, layout).map((row) => {
    const found = Object.entries(PATTERNS).flatMap(([name, pattern]) => {
      const value = Object.entries(row).find(
        ([column, value]) => pattern.test(column) && value !== null,
      )?.[1];
      if (value === undefined || value === null) return [];
      return [[name, name === 'environmentId' ? value : String(value)]];
    });
    return Object.fromEntries(found);
  });
}
