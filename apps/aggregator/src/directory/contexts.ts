import type { Log, LogFields, LogLevel, RequestContext } from '@deskside/core';
import { type Mount, type Naming, namingOf } from '../mounts/mount.ts';

/** The request as a mount sees it: with its own names, and with its id in each log line. */
export class MountContexts {
  readonly #namings: ReadonlyMap<Mount, Naming>;
  readonly #logs = new Map<Mount, WeakMap<Log, Log>>();

  constructor(mounts: readonly Mount[]) {
    this.#namings = new Map(mounts.map((mount) => [mount, namingOf(mount)]));
  }

  of(mount: Mount, ctx: RequestContext): RequestContext {
    const toolName = this.#namings.get(mount)?.(ctx.toolName) ?? ctx.toolName;
    return { ...ctx, toolName, log: this.#logOf(mount, ctx.log) };
  }

  /** For a mount that is served alone, with its bare names. */
  alone(mount: Mount, ctx: RequestContext): RequestContext {
    return { ...ctx, log: this.#logOf(mount, ctx.log) };
  }

  #logOf(mount: Mount, log: Log): Log {
    const logs = this.#logs.get(mount) ?? new WeakMap<Log, Log>();
    this.#logs.set(mount, logs);
    const known = logs.get(log);
    if (known !== undefined) return known;
    const own = logOf(mount.id, log);
    logs.set(log, own);
    return own;
  }
}

function logOf(mount: string, log: Log): Log {
  const logAt = (level: LogLevel) => (message: string, fields?: LogFields) =>
    log[level](message, { mount, ...fields });
  return { error: logAt('error'), warn: logAt('warn'), info: logAt('info'), debug: logAt('debug') };
}
