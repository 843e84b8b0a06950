import { PassThrough } from 'node:stream';
import type { PostFor, Settings, SinkDefinition } from '../sinks/define-sink.ts';
import { sinkHost } from '../sinks/host.ts';

/** What a service with these settings of the file sends. */
export function postOf({ open, schema }: SinkDefinition, settings: Settings): PostFor {
  const host = sinkHost({ stderr: new PassThrough(), env: {}, report: () => undefined });
  const posts: PostFor[] = [];
  const service = (postFor: PostFor) => {
    posts.push(postFor);
    return host.service(postFor);
  };
  open(schema.parse(settings), { ...host, service });
  const [post] = posts;
  if (post === undefined) throw new Error('This sink is no service.');
  return post;
}
