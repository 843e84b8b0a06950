import type { Log, LogFields, LogLevel, RequestContext } from '@deskside/core';
import { type Mount, nameInside } from '../mounts/mount.ts';

/** The request as a mount sees it: with its own names, and with its id in each log line. */
export function contextOf(mount: Mount, ctx: RequestContext): RequestContext {
  return { ...contextAlone(mount, ctx), toolName: nameInside(mount, ctx.toolName) };
}

/** For a mount that is served alone, with its bare names. */
export function contextAlone(mount: Mount, ctx: RequestContext): RequestContext {
  return { ...ctx, log: logOf(mount, ctx.log) };
}

function logOf(mount: Mount, log: Log): Log {
  const logAt = (level: LogLevel) => (message: string, fields?: LogFields) =>
    log[level](message, { mount: mount.id, ...fields });
  return { error: logAt('error'), warn: logAt('warn'), info: logAt('info'), debug: logAt('debug') };
}
