import type { Tool } from '@deskside/core';
import type { LogNotify } from '../log-notify.ts';
import { destinationsText, notifyTool } from './notify.ts';

/** The tools as the defaults describe them. */
export const logNotifyTools: readonly Tool<LogNotify>[] = [notifyTool(destinationsText(undefined))];

/** @returns a function that describes the present configuration, with the same array until it changes */
export function describedTools(): (logNotify: LogNotify) => Promise<readonly Tool<LogNotify>[]> {
  let known = destinationsText(undefined);
  let tools = logNotifyTools;
  return async (logNotify) => {
    const text = destinationsText(await logNotify.sinks());
    if (text !== known) tools = [notifyTool(text)];
    known = text;
    return tools;
  };
}
