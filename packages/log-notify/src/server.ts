import { changeFeed, defineServer, type ServerDefinition, type ToolName } from '@deskside/core';
import manifest from '../package.json' with { type: 'json' };
import type { LogNotify } from './log-notify.ts';
import { logNotifyPrompts } from './prompts/index.ts';
import { describedTools } from './tools/index.ts';

export function logNotifyServer(logNotify: LogNotify): ServerDefinition {
  const changes = changeFeed();
  // The description of the tool names the sinks.
  logNotify.onReload(() => changes.changed('tools'));
  return defineServer({
    name: 'deskside-log-notify',
    title: 'Deskside log-notify',
    version: manifest.version,
    instructions,
    deps: logNotify,
    tools: describedTools(),
    prompts: logNotifyPrompts,
    changes,
    logging: true,
  });
}

function instructions(tool: ToolName): string {
  return [
    `Use ${tool('notify')} to inform the person while you work, without waiting for a reply: problems you find, status of long work, warnings before risky steps, decisions you made.`,
    'Use level "info" for status and insights, "warn" for risks and "error" for failures.',
    'Set "context" to analysis, workflow, safety, performance or discovery if one fits: people filter by it.',
    'Repeat everything important in your final answer, because a filter can hold a notification back.',
  ].join(' ');
}
