import { compileTemplate } from '../liquid/notify-liquid.ts';
import type { Host } from './define-sink.ts';
import { serviceSink } from './services/post.ts';

/** What sinks use of this process. In a module that the first notification loads, because of Liquid and HTTP. */
export function sinkHost({
  quietMs = () => 0,
  seen = () => undefined,
  ...process
}: Pick<Host, 'stderr' | 'env' | 'report'> & Partial<Pick<Host, 'quietMs' | 'seen'>>): Host {
  const { env } = process;
  return {
    ...process,
    quietMs,
    seen,
    service: (postFor, maxCodePoints) => serviceSink(postFor, env, maxCodePoints),
    template: compileTemplate,
  };
}
