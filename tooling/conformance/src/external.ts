import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { temporaryFolder } from '@deskside/core/testing';
import { cleanEnvironment } from '@deskside/testkit';
import { execa } from 'execa';
import { examineUrl, type Target } from './examine.ts';
import type { Revision, ScenarioResult } from './suite.ts';

const FIXTURE = join(import.meta.dirname, 'fixture/program.ts');
const TODO = join(import.meta.dirname, '../../../packages/todo/dist/bin/cli.js');
const DESK = join(import.meta.dirname, '../../../packages/gateway/src/testing/http-desk.ts');

/** The complete set takes half a minute. */
const SAMPLE: Readonly<Record<Revision, readonly string[]>> = {
  '2025-11-25': ['tools-call-with-progress', 'tools-call-elicitation'],
  '2026-07-28': ['input-required-result-multi-round', 'completion-complete'],
};

/** Every server passes these, and todo's program answers them before it is loaded. */
const STARTS: Readonly<Record<Revision, readonly string[]>> = {
  '2025-11-25': ['server-initialize', 'ping', 'tools-list', 'resources-list', 'prompts-list'],
  '2026-07-28': ['tools-list', 'resources-list', 'prompts-list', 'caching'],
};

/** Examines the fixture and todo's built program as external servers: programs behind a desk, which clients reach over HTTP. */
export async function examineExternal(isComplete: boolean): Promise<readonly ScenarioResult[]> {
  return [
    ...(await examineProgram('external', FIXTURE, isComplete ? undefined : SAMPLE)),
    ...(await examineProgram('first answers', TODO, STARTS)),
  ];
}

async function examineProgram(
  name: string,
  program: string,
  scenarios: Target['scenarios'],
): Promise<readonly ScenarioResult[]> {
  using home = temporaryFolder();
  const env = cleanEnvironment(home.path);
  const desk = execa(process.execPath, [DESK, process.execPath, program], {
    reject: false,
    env,
    extendEnv: false,
  });
  try {
    const [url] = await once(createInterface({ input: desk.stdout }), 'line');
    return await examineUrl(name, String(url), scenarios);
  } finally {
    desk.stdin.end();
    await desk;
  }
}
