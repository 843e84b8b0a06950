import type { Layout } from './layout.ts';

/** A tracked device. Properties that the database does not have are absent. */
export interface Environment {
  readonly environmentId?: number | string;
  readonly deviceName?: string;
  readonly osVersion?: string;
  readonly manicTimeVersion?: string;
  readonly dotNetVersion?: string;
}

/** Column names are not documented: the first column that matches the pattern is used. */
const PATTERNS: Readonly<Record<keyof Environment, RegExp>> = {
  environmentId: /^EnvironmentId$/i,
  deviceName: /device|machine|computer|host/i,
  dotNetVersion: /dotnet|netframework|netversion|clr|runtime/i,
  manicTimeVersion: /manictime|(app|client|product)version/i,
  osVersion: /^os|operating|platform/i,
};

export function readEnvironments(layout: Layout): Environment[] {
  if (!layout.has('Ar_Environment')) return [];
  const devices = layout.database.prepare<[], Record<string, unknown>>(
    'SELECT * FROM Ar_Environment LIMIT 100',
  );
  return devices.all().map((row) => {
    const values = Object.entries(row).flatMap(([column, value]) =>
      typeof value === 'string' || typeof value === 'number' ? [[column, value] as const] : [],
    );
    const found = Object.entries(PATTERNS).flatMap(([name, pattern]) => {
      const value = values.find(([column]) => pattern.test(column))?.[1];
      if (value === undefined) return [];
      return [[name, name === 'environmentId' ? value : String(value)]];
    });
    return Object.fromEntries(found);
  });
}
