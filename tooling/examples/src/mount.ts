import type { RequestContext, ServerDefinition, ToolName, View } from '@deskside/core';

/** A definition is a set of answers without I/O: a program can call its tools without a client. */
export async function callText(
  definition: ServerDefinition,
  tool: string,
  ctx: RequestContext,
): Promise<string> {
  const result = await definition.callTool(tool, {}, ctx);
  if (result === undefined) return `No tool is named ${tool}.`;
  return 'content' in result ? JSON.stringify(result.content) : 'The tool asks the client a question.';
}

/** Other names for the tools, in listings and in every text that names one. */
export function renamed(definition: ServerDefinition, prefix: string): ServerDefinition {
  const toolName: ToolName = (name) => `${prefix}_${name}`;
  return {
    ...definition,
    instructions: () => definition.instructions(toolName),
    listTools: (view: View) => definition.listTools({ ...view, toolName }),
    async callTool(name, args, ctx) {
      if (!name.startsWith(`${prefix}_`)) return undefined;
      return definition.callTool(name.slice(prefix.length + 1), args, { ...ctx, toolName });
    },
  };
}
