import type { ToolName } from '@deskside/core';

/** Renders a prompt's template so that it tells the model where to call the tool; nobody is notified by it. */
export async function renderPrompt(
  template: string,
  values: Readonly<Record<string, unknown>>,
  toolName: ToolName,
): Promise<string> {
  const { instruct, NotifyLiquid } = await import('../liquid/index.ts');
  const liquid = new NotifyLiquid(instruct(toolName('notify')));
  return String(await liquid.parseAndRender(template, { ...values }));
}
