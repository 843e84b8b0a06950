import type { Implementation } from '@modelcontextprotocol/server';

/** What is known of a program that uses MCP servers. */
export interface KnownClient {
  /** As `deskside connect` names it. */
  readonly id: string;
  /** As people know it. */
  readonly title: string;
  /** What it calls itself as a client. Undefined: not known. */
  readonly name?: RegExp;
  /** The version that the bench in `tooling/hosts` has measured. Undefined: it cannot run there. */
  readonly version?: string;
  /** It ends a call after so many seconds, whatever progress the server reports. Undefined: it waits. */
  readonly callLimitSeconds?: number;
  /** It can show a form to a person. Without a terminal it answers the form itself, at once. */
  readonly isInteractive?: true;
  /** It lists tools by name only, and its model loads those that it wants. */
  readonly defersTools?: true;
  /**
   * It reads a first text that is JSON as the structured content of a result that has none, also of an error. It refuses
   * every result whose structured content is not an object, or does not match the output schema.
   */
  readonly readsTextAsObject?: true;
  /**
   * It is served in this era, although it knows both: only the legacy era can withdraw a form, and a form that is open
   * beside a window keeps its call waiting.
   */
  readonly servedEra?: 'legacy';
}

export const KNOWN_CLIENTS: readonly KnownClient[] = [
  {
    id: 'claude-code',
    title: 'Claude Code',
    name: /^claude-code$/,
    version: '2.1.332',
    // In a terminal; `claude -p` waits.
    callLimitSeconds: 120,
    isInteractive: true,
    defersTools: true,
    servedEra: 'legacy',
  },
  {
    id: 'codex',
    title: 'Codex',
    name: /^codex-mcp-client$/,
    version: '0.171.0',
    callLimitSeconds: 300,
    isInteractive: true,
  },
  {
    id: 'gemini',
    title: 'Gemini CLI',
    name: /^gemini-cli-mcp-client$/,
    version: '0.61.0',
    callLimitSeconds: 600,
    readsTextAsObject: true,
  },
  {
    id: 'opencode',
    title: 'OpenCode',
    name: /^opencode$/,
    version: '1.18.33',
  },
  {
    id: 'qwen-code',
    title: 'Qwen Code',
    // The name of the server in its configuration follows.
    name: /^qwen-cli-mcp-client-/,
    version: '0.24.4',
    callLimitSeconds: 600,
    defersTools: true,
  },
  {
    id: 'copilot-cli',
    title: 'Copilot CLI',
    name: /^copilot-cli$/,
    version: '1.0.102',
    isInteractive: true,
  },
  {
    id: 'kilo',
    title: 'Kilo',
    name: /^kilo$/,
    version: '7.7.7',
  },
  {
    id: 'cline',
    title: 'Cline',
    name: /^@cline\/core$/,
    version: '3.0.65',
    callLimitSeconds: 60,
  },
  {
    id: 'continue',
    title: 'Continue',
    name: /^continue-cli-client$/,
    version: '1.5.47',
    callLimitSeconds: 60,
  },
  {
    id: 'claude-desktop',
    title: 'Claude Desktop',
    name: /^claude-ai$/,
    callLimitSeconds: 240,
  },
  {
    id: 'vscode-insiders',
    title: 'VS Code Insiders',
    name: /^Visual Studio Code - Insiders/,
    isInteractive: true,
  },
  {
    id: 'vscode',
    title: 'VS Code',
    name: /^Visual Studio Code/,
    isInteractive: true,
  },
  {
    id: 'cursor',
    title: 'Cursor',
    name: /^cursor-vscode/,
    isInteractive: true,
  },
  { id: 'windsurf', title: 'Windsurf' },
  { id: 'zed', title: 'Zed', callLimitSeconds: 60 },
  { id: 'lmstudio', title: 'LM Studio', callLimitSeconds: 60 },
  { id: 'roo', title: 'Roo Code', callLimitSeconds: 60 },
  { id: 'amp', title: 'Amp' },
  { id: 'junie', title: 'Junie' },
  { id: 'warp', title: 'Warp' },
];

export function knownClient(client: Pick<Implementation, 'name'> | undefined): KnownClient | undefined {
  return client && KNOWN_CLIENTS.find(({ name }) => name?.test(client.name));
}
