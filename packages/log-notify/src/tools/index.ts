import type { Tool } from '@deskside/core';
import type { LogNotify } from '../log-notify.ts';
import type { ConfiguredSink } from '../sinks/define-sink.ts';
import { notifyTool } from './notify.ts';

/** The tools as the defaults describe them. */
export const logNotifyTools: readonly Tool<LogNotify>[] = [notifyTool(undefined)];

/** @returns a function that describes the present configuration, with the same array until it changes */
export function describedTools(): (logNotify: LogNotify) => Promise<readonly Tool<LogNotify>[]> {
  let known: readonly ConfiguredSink[] | undefined;
  let tools = logNotifyTools;
  return async (logNotify) => {
    const sinks = await logNotify.sinks();
    if (sinks !== known) tools = [notifyTool(sinks)];
    known = sinks;
    return tools;
  };
}
