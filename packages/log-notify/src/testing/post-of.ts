import { PassThrough } from 'node:stream';
import type { Host, PostFor, Settings, SinkDefinition } from '../sinks/define-sink.ts';
import { sinkHost } from '../sinks/host.ts';

/** Of a program without a terminal. */
export const testHost: Host = sinkHost({ stderr: new PassThrough(), env: {}, report: () => undefined });

/** What a service with these settings of the file sends. */
export function postOf({ open, schema }: SinkDefinition, settings: Settings): PostFor {
  const posts: PostFor[] = [];
  const service = (postFor: PostFor) => {
    posts.push(postFor);
    return testHost.service(postFor);
  };
  open(schema.parse(settings), { ...testHost, service });
  const [post] = posts;
  if (post === undefined) throw new Error('This sink is no service.');
  return post;
}
