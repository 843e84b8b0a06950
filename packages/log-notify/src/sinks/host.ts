import { compileTemplate } from '../liquid/notify-liquid.ts';
import type { Host } from './define-sink.ts';
import { serviceSink } from './services/post.ts';

/** What sinks use of this process. In a module that the first notification loads, because of Liquid and HTTP. */
export function sinkHost(process: Omit<Host, 'service' | 'template'>): Host {
  return {
    ...process,
    service: (postFor, maxCodePoints) => serviceSink(postFor, process.env, maxCodePoints),
    template: compileTemplate,
  };
}
