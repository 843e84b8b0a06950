import type { RequestContext } from '@deskside/core';
import type { Question } from '../service/question.ts';

/**
 * Sends progress while a person thinks: clients give a silent call up after a minute.
 *
 * @param interval milliseconds
 */
export async function keptAlive<T>(
  { timeout }: Question,
  interval: number,
  ctx: RequestContext,
  answer: Promise<T>,
): Promise<T> {
  const startedAt = performance.now();
  const timer = setInterval(() => {
    const seconds = Math.round((performance.now() - startedAt) / 1000);
    const limit = timeout === undefined ? '' : `, which is given ${timeout} s on the screen`;
    const said = ctx.progress(seconds, undefined, `${seconds} s waited for the person's answer${limit}`);
    said.catch((error: unknown) => ctx.log.debug('progress not sent', { error }));
  }, interval);
  try {
    return await answer;
  } finally {
    clearInterval(timer);
  }
}
