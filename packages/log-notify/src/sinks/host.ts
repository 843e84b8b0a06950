import { systemClock } from '@deskside/core/base';
import { Liquid } from 'liquidjs';
import type { Host, Template } from './define-sink.ts';
import { ServiceSink } from './services/post.ts';

/** Limits of a template: length in characters, memory in liquidjs units, rendering time in milliseconds. */
const LIMITS = { parseLimit: 100_000, memoryLimit: 1_000_000, renderLimit: 1000 };

/** What sinks use of this process. In a module that the first notification loads, because of Liquid and HTTP. */
export function sinkHost({
  quietMs = () => 0,
  ...process
}: Pick<Host, 'stderr' | 'env' | 'report'> & Partial<Pick<Host, 'quietMs'>>): Host {
  const { env } = process;
  return {
    ...process,
    quietMs,
    service: (postFor, maxCodePoints) => new ServiceSink(postFor, env, systemClock, maxCodePoints),
    template: compileTemplate,
  };
}

/** @throws Error if the template is not valid */
export function compileTemplate(source: string): Template {
  const liquid = new Liquid({
    ...LIMITS,
    strictFilters: true,
    strictVariables: true,
    ownPropertyOnly: true,
    // No partials, so no files.
    templates: {},
  });
  const parsed = liquid.parse(source);
  return (values) => String(liquid.renderSync(parsed, values));
}
