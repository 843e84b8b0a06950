import { describe } from 'vitest';
import { testAudit } from './store-contract-audit.ts';
import { testIsolation } from './store-contract-isolation.ts';
import { testListing } from './store-contract-listing.ts';
import { testTasks } from './store-contract-tasks.ts';
import type { OpenStore } from './store-under-test.ts';

/** What every TaskStore promises, whatever database is behind it. */
export function describeTaskStore(database: string, open: OpenStore): void {
  describe(`task store on ${database}`, () => {
    testTasks(open);
    testListing(open);
    testIsolation(open);
    testAudit(open);
  });
}
