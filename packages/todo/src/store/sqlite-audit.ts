import type { BetterSQLite3Database } from 'drizzle-orm/better-sqlite3';
import { audit } from './schema.ts';
import type { Call, Refusal } from './task-store.ts';

export type Transaction = Parameters<Parameters<BetterSQLite3Database['transaction']>[0]>[0];

export interface AuditEntry {
  readonly outcome: 'ok' | Refusal;
  readonly taskId?: number | undefined;
  /** Names of the fields that the call set; never their values. */
  readonly changed?: readonly string[];
}

export function writeAudit(transaction: Transaction, at: Date, call: Call, entry: AuditEntry): void {
  const { outcome, taskId, changed = [] } = entry;
  const row = {
    at,
    actor: call.actor,
    user: call.user,
    tool: call.tool,
    outcome,
    // The model may send any number, but a STRICT table keeps no 1e300 in an INTEGER column.
    taskId: Number.isSafeInteger(taskId) ? taskId : null,
    changed: changed.length > 0 ? changed.join(',') : null,
  };
  transaction.insert(audit).values(row).run();
}

export function firstCodePoints(text: string, count: number): string {
  // A code point has at most two units, so the rest of a huge text need not be looked at.
  return Array.from(text.slice(0, 2 * count))
    .slice(0, count)
    .join('');
}
