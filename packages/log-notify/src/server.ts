import { defineServer, type ServerDefinition, type ToolName } from '@deskside/core';
import manifest from '../package.json' with { type: 'json' };
import type { LogNotify } from './log-notify.ts';
import { logNotifyPrompts } from './prompts/index.ts';
import { logNotifyTools } from './tools/index.ts';

export function logNotifyServer(logNotify: LogNotify): ServerDefinition {
  return defineServer({
    name: 'deskside-log-notify',
    title: 'Deskside log-notify',
    version: manifest.version,
    instructions,
    deps: logNotify,
    tools: logNotifyTools,
    prompts: logNotifyPrompts,
    logging: ['modern'],
  });
}

function instructions(tool: ToolName): string {
  return [
    `${tool('notify')} tells the person something while you work, without waiting for them: problems you discover, status of long work, warnings before risky steps, decisions you made.`,
    'Use level "info" for status and insight, "warn" for what may need care, "error" for what failed.',
    'Set "context" to analysis, workflow, safety, performance or discovery where one fits: people filter by it.',
    'Your final answer still says what matters: a notification may be filtered.',
  ].join(' ');
}
