/** What a host is started with. */
export interface Setting {
  readonly home: string;
  readonly project: string;
  /** Base URL of the scripted model, without a path. */
  readonly model: string;
  /** Deskside; undefined if `deskside connect` writes it. */
  readonly server: { readonly command: string; readonly args: readonly string[] } | undefined;
  /** Every tool may run without a question. */
  readonly isAllowed: boolean;
  /** The host may begin only with Deskside. */
  readonly isAwaited: boolean;
}

/** A host as npm installs it, and how it runs once without a terminal. */
export interface Host {
  readonly id: string;
  readonly title: string;
  /** Package and version. */
  readonly install: string;
  readonly bin: string;
  args(setting: Setting): readonly string[];
  /** In a terminal, with a person, if it then differs in how it waits. */
  terminalArgs?(setting: Setting): readonly string[];
  env?(setting: Setting): Readonly<Record<string, string>>;
  /** Configuration files in the home, as text or JSON. */
  files?(setting: Setting): Readonly<Record<string, unknown>>;
}

const PROMPT = 'Run the bench.';
const MODEL = 'bench';
const KEY = 'bench-key';

function servers({ server }: Setting, more: object = {}) {
  return server === undefined ? {} : { mcpServers: { deskside: { ...more, ...server } } };
}

function openCode(root: string, mode: string): Pick<Host, 'args' | 'files' | 'env'> {
  return {
    args: () => ['run', '-m', 'bench/bench', PROMPT],
    env: () => ({ OPENCODE_DISABLE_MODELS_FETCH: '1', OPENCODE_DISABLE_AUTOUPDATE: '1' }),
    files: ({ model, server }) => ({
      [`.config/${root}/${mode}`]: {
        provider: {
          bench: {
            npm: '@ai-sdk/openai-compatible',
            options: { baseURL: `${model}/v1`, apiKey: KEY },
            models: {
              bench: {
                tool_call: true,
                attachment: true,
                modalities: { input: ['text', 'image'], output: ['text'] },
              },
            },
          },
        },
        ...(server && { mcp: { deskside: { type: 'local', command: [server.command, ...server.args] } } }),
      },
    }),
  };
}

export const HOSTS: readonly Host[] = [
  {
    id: 'claude-code',
    title: 'Claude Code',
    install: '@anthropic-ai/claude-code@2.1.332',
    bin: 'claude',
    args: ({ home, isAllowed }) => [
      '-p',
      PROMPT,
      '--model',
      'claude-sonnet-4-5',
      '--mcp-config',
      `${home}/mcp.json`,
      ...(isAllowed ? ['--allowedTools', 'mcp__deskside'] : []),
    ],
    env: ({ model }) => ({
      ANTHROPIC_BASE_URL: model,
      ANTHROPIC_API_KEY: KEY,
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
      // Off by default for an address that is not Anthropic's.
      ENABLE_TOOL_SEARCH: 'true',
    }),
    terminalArgs: () => [PROMPT, '--model', 'claude-sonnet-4-5'],
    files: (setting) => ({
      'mcp.json': servers(setting),
      '.claude.json': {
        hasCompletedOnboarding: true,
        customApiKeyResponses: { approved: [KEY] },
        projects: { [setting.project]: { hasTrustDialogAccepted: true } },
      },
    }),
  },
  {
    id: 'codex',
    title: 'Codex',
    install: '@openai/codex@0.171.0',
    bin: 'codex',
    args: () => ['exec', '--skip-git-repo-check', PROMPT],
    env: () => ({ BENCH_KEY: KEY }),
    terminalArgs: () => [PROMPT],
    files: ({ model, server, isAllowed, isAwaited, project }) => ({
      '.codex/config.toml': [
        `model = "${MODEL}"`,
        'model_provider = "bench"',
        '[model_providers.bench]',
        'name = "bench"',
        `base_url = "${model}/v1"`,
        'env_key = "BENCH_KEY"',
        'wire_api = "responses"',
        `[projects.${JSON.stringify(project)}]`,
        'trust_level = "trusted"',
        ...(server === undefined
          ? []
          : [
              '[mcp_servers.deskside]',
              `command = ${JSON.stringify(server.command)}`,
              `args = ${JSON.stringify(server.args)}`,
              // Else its first turn does not wait for the server, and may have no tool of it.
              ...(isAwaited ? ['required = true'] : []),
            ]),
        ...(isAllowed ? ['default_tools_approval_mode = "approve"'] : []),
      ].join('\n'),
    }),
  },
  {
    id: 'gemini',
    title: 'Gemini CLI',
    install: '@google/gemini-cli@0.61.0',
    bin: 'gemini',
    args: () => ['-m', 'gemini-2.5-pro', '-p', PROMPT],
    env: ({ model }) => ({ GEMINI_API_KEY: KEY, GOOGLE_GEMINI_BASE_URL: model }),
    files: (setting) => ({
      '.gemini/settings.json': {
        security: { auth: { selectedType: 'gemini-api-key' }, folderTrust: { enabled: false } },
        general: { disableAutoUpdate: true },
        privacy: { usageStatisticsEnabled: false },
        ...servers(setting, { trust: setting.isAllowed }),
      },
    }),
  },
  {
    id: 'opencode',
    title: 'OpenCode',
    install: 'opencode-ai@1.18.33',
    bin: 'opencode',
    ...openCode('opencode', 'opencode.json'),
  },
  {
    id: 'qwen-code',
    title: 'Qwen Code',
    install: '@qwen-code/qwen-code@0.24.4',
    bin: 'qwen',
    args: () => ['-m', MODEL, '--auth-type', 'openai', '-p', PROMPT],
    env: ({ model }) => ({ OPENAI_API_KEY: KEY, OPENAI_BASE_URL: `${model}/v1`, OPENAI_MODEL: MODEL }),
    files: (setting) => ({
      '.qwen/settings.json': {
        security: { auth: { selectedType: 'openai' } },
        privacy: { usageStatisticsEnabled: false },
        ...servers(setting, { trust: setting.isAllowed }),
      },
    }),
  },
  {
    id: 'copilot-cli',
    title: 'Copilot CLI',
    install: '@github/copilot@1.0.102',
    bin: 'copilot',
    args: ({ isAllowed }) => ['-p', PROMPT, ...(isAllowed ? ['--allow-all-tools'] : [])],
    env: ({ model }) => ({
      COPILOT_OFFLINE: 'true',
      COPILOT_PROVIDER_BASE_URL: `${model}/v1`,
      COPILOT_PROVIDER_API_KEY: KEY,
      COPILOT_MODEL: MODEL,
    }),
    files: (setting) => ({
      '.copilot/mcp-config.json': servers(setting, { type: 'local', tools: ['*'] }),
    }),
  },
  {
    id: 'kilo',
    title: 'Kilo',
    install: '@kilocode/cli@7.7.7',
    bin: 'kilo',
    ...openCode('kilo', 'kilo.json'),
  },
  {
    id: 'cline',
    title: 'Cline',
    install: 'cline@3.0.65',
    bin: 'cline',
    args: ({ isAllowed }) => ['--json', '--auto-approve', String(isAllowed), PROMPT],
    files: (setting) => ({
      '.cline/data/settings/cline_mcp_settings.json': servers(setting),
      '.cline/data/settings/providers.json': {
        version: 1,
        lastUsedProvider: 'openai-compatible',
        modes: {},
        providers: {
          'openai-compatible': {
            settings: {
              provider: 'openai-compatible',
              apiKey: KEY,
              model: MODEL,
              baseUrl: `${setting.model}/v1`,
            },
            updatedAt: '2026-01-01T00:00:00.000Z',
            tokenSource: 'manual',
          },
        },
      },
    }),
  },
  {
    id: 'continue',
    title: 'Continue',
    install: '@continuedev/cli@1.5.47',
    bin: 'cn',
    args: ({ home, isAllowed }) => [
      '--config',
      `${home}/continue.yaml`,
      ...(isAllowed ? ['--auto'] : []),
      '-p',
      PROMPT,
    ],
    // JSON is YAML.
    files: ({ model, server }) => ({
      'continue.yaml': {
        name: 'bench',
        version: '1.0.0',
        schema: 'v1',
        models: [
          {
            name: MODEL,
            provider: 'openai',
            model: MODEL,
            apiBase: `${model}/v1`,
            apiKey: KEY,
            useResponsesApi: false,
            capabilities: ['tool_use'],
            roles: ['chat'],
          },
        ],
        ...(server && { mcpServers: [{ name: 'deskside', ...server }] }),
      },
    }),
  },
];
