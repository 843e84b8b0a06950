import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { execa } from 'execa';
import { examineUrl } from './examine.ts';
import type { Revision, ScenarioResult } from './suite.ts';

const FIXTURE = join(import.meta.dirname, 'fixture/program.ts');
const DESK = join(import.meta.dirname, '../../../apps/aggregator/src/testing/http-desk.ts');

/** The complete set takes half a minute. */
const SAMPLE: Readonly<Record<Revision, readonly string[]>> = {
  '2025-11-25': ['tools-call-with-progress', 'tools-call-elicitation'],
  '2026-07-28': ['input-required-result-multi-round', 'completion-complete'],
};

/** Examines the fixture as an external server: a program behind a desk, which clients reach over HTTP. */
export async function examineExternal(isComplete: boolean): Promise<readonly ScenarioResult[]> {
  const desk = execa(process.execPath, [DESK, process.execPath, FIXTURE], { reject: false });
  try {
    const [url] = await once(createInterface({ input: desk.stdout }), 'line');
    return await examineUrl('external', String(url), isComplete ? undefined : SAMPLE);
  } finally {
    desk.stdin.end();
    await desk;
  }
}
