import { globSync } from 'node:fs';
import { sep } from 'node:path';
import { defineConfig } from 'oxlint';

interface Path {
  readonly name: string;
  readonly message: string;
}

type Pattern = { readonly message: string } & (
  | { readonly group: readonly string[] }
  | { readonly regex: string }
);

const NAMES = globSync('packages/*/server.json', { cwd: import.meta.dirname }).map(
  (path) => path.split(sep)[1] ?? '',
);
if (NAMES.length === 0) throw new Error('No server was found, so the import rules would check nothing.');
const SERVERS = `packages/{${NAMES.join(',')}}/src`;
const TESTS = ['**/testing/**', '**/*.test.ts', '**/*.test.tsx'];

// Each import rule of docs/architecture.md has one entry here. They apply to static, dynamic and type imports.
const noTestSupport: Pattern = {
  regex: String.raw`^\.{1,2}/(?:.*/)?testing/|^vitest(?:/|$)`,
  message: 'Only tests import test support.',
};
const noTooling: Pattern = {
  regex: String.raw`/tooling/|^@deskside/(?:bench|checks|conformance|examples|hosts|release)(?:/|$)`,
  message: 'Neither what is published nor its tests import tooling.',
};
const noFamily: Pattern = { group: ['@deskside/*'], message: 'Core imports no other package of the family.' };
const onlyKernel: Pattern = {
  regex: String.raw`^\.{1,2}/(?:.*/)?(?:serving|program)/|^@modelcontextprotocol/(?:client|node)|/stdio$|^hono|^node:https?$`,
  message: 'The kernel of core knows no transport, and nothing that serves it.',
};
const noProgram: Pattern = {
  regex: String.raw`^\.{1,2}/(?:.*/)?program/`,
  message: 'program imports serving, never the other way.',
};
const onlyCore: Pattern = {
  group: ['@deskside/*', '!@deskside/core', '!@deskside/desktop', '!@deskside/toaster', '!@deskside/look'],
  message: 'Of the family, a server imports only core, desktop, look and toaster; tooling is not published.',
};
const onlyCoreForDesktop: Pattern = {
  group: ['@deskside/*', '!@deskside/core'],
  message: 'Of the family, desktop imports only core.',
};
const onlyCoreForTests: Pattern = {
  group: ['@deskside/*', '!@deskside/core'],
  message: 'Test support that several packages share knows none of them.',
};
const onlyBundledCore: Pattern = {
  group: [
    '@deskside/*',
    '@deskside/core/*',
    '!@deskside/core',
    '!@deskside/core/app',
    '!@deskside/core/text',
  ],
  message: 'Pages install no other package: the build inlines /text and /app of core.',
};
const noTestkit: Pattern = { regex: '^@deskside/testkit(?:/|$)', message: 'Test support is not published.' };
const onlyPublicIndex: Pattern = {
  group: [
    '@deskside/*/*',
    '!@deskside/core/*',
    '!@deskside/*/commands',
    '!@deskside/manictime/location',
    '!@deskside/gateway/*',
    '!@deskside/page/*',
  ],
  message: 'The aggregator imports the public index and the commands of a server.',
};
/** Of the packages that the aggregator contains. */
const onlyShared: Pattern = {
  group: ['@deskside/*', '!@deskside/core', '!@deskside/desktop'],
  message: 'gateway and connect import only core and desktop of the family.',
};
const onlySharedAndLook: Pattern = {
  group: [...onlyShared.group, '!@deskside/look'],
  message: 'The page imports only core, desktop and look of the family.',
};
const onlyText: Pattern = {
  group: ['@deskside/*', '@deskside/core/*', '!@deskside/core', '!@deskside/core/text', '!@deskside/desktop'],
  message: 'look imports only /text of core, and the types of the inbox.',
};
const noInternal: Pattern = {
  group: ['@deskside/core/internal'],
  message: 'Only the aggregator and programs use /internal of core.',
};
const noSdk: Pattern = { group: ['@modelcontextprotocol/*'], message: 'Only core imports the SDK.' };
const onlySdkClient: Pattern = {
  group: ['@modelcontextprotocol/*', '!@modelcontextprotocol/client'],
  message: 'Of the SDK, the gateway imports only the client.',
};
const PURE_CORE = ['app', 'base', 'dates', 'errors', 'text'];
const onlyPureCore = {
  group: ['@deskside/core/*', ...PURE_CORE.map((subpath) => `!@deskside/core/${subpath}`)],
  message: 'A domain folder imports only /text, /errors, /dates, /base and, in views, /app of core.',
};
const noCoreRoot = { name: '@deskside/core', message: onlyPureCore.message };
const noComposition: Pattern = {
  regex: String.raw`^(?:\.\./)+(?:(?:${NAMES.join('|')}|server|options|cli|index)\.ts$|(?:tools|prompts|resources|commands)/)`,
  message: 'A domain folder imports neither <server>.ts nor anything that uses it.',
};

const noProcess: readonly Path[] = ['process', 'node:process', 'console', 'node:console'].map((name) => ({
  name,
  message: 'The process comes in through the dependencies; stdout belongs to the protocol.',
}));

/** Only the bins and two folders of core may use the process; for them, `paths` is empty. */
function importRules(
  files: readonly string[],
  patterns: readonly Pattern[],
  paths: readonly Path[] = noProcess,
) {
  return {
    files: [...files],
    rules: {
      'eslint/no-restricted-globals': paths.length === 0 ? 'off' : ['error', 'process'],
      'eslint/no-restricted-imports': [
        'error',
        { paths: [...paths], patterns: [...patterns, noTestSupport, noTooling] },
      ],
    },
  } as const;
}

export default defineConfig({
  plugins: ['eslint', 'typescript', 'unicorn', 'oxc', 'import', 'promise', 'node', 'vitest'],
  categories: { correctness: 'error', suspicious: 'error', perf: 'error' },
  rules: {
    'eslint/eqeqeq': 'error',
    'eslint/no-await-in-loop': 'off',
    'eslint/no-console': 'error',
    'eslint/no-empty': 'error',
    'eslint/no-shadow': 'off',
    'eslint/no-underscore-dangle': 'off',
    'eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', ignoreRestSiblings: true }],
    'eslint/no-var': 'error',
    'eslint/prefer-const': 'error',
    'import/no-cycle': ['error', { ignoreTypes: false }],
    'import/no-default-export': 'error',
    'import/no-unassigned-import': 'off',
    'typescript/consistent-return': 'off',
    'typescript/consistent-type-imports': 'error',
    'typescript/no-explicit-any': 'error',
    'typescript/no-floating-promises': 'error',
    // Without it, an import of types alone loads the module.
    'typescript/no-import-type-side-effects': 'error',
    'typescript/no-misused-promises': 'error',
    'typescript/no-non-null-assertion': 'error',
    'typescript/only-throw-error': 'error',
    'typescript/return-await': 'error',
    'typescript/switch-exhaustiveness-check': ['error', { considerDefaultExhaustiveForUnions: true }],
    'typescript/unbound-method': 'off',
    'unicorn/prefer-add-event-listener': 'off',
    'unicorn/prefer-node-protocol': 'error',
    'vitest/no-conditional-expect': 'off',
    'vitest/valid-expect': ['error', { maxArgs: 2 }],
  },
  overrides: [
    importRules(['packages/core/src/**'], [noFamily]),
    importRules(
      ['definition', 'schemas', 'errors', 'text', 'dates', 'base']
        .map((folder) => `packages/core/src/${folder}/**`)
        .concat(['diagnostics', 'log', 'truncation'].map((file) => `packages/core/src/${file}.ts`)),
      [noFamily, onlyKernel],
    ),
    importRules(['packages/core/src/serving/**'], [noFamily, noProgram]),
    importRules(['packages/core/src/serving/process/**'], [noFamily, noProgram], []),
    importRules(['packages/core/src/program/**'], [noFamily], []),
    importRules(['packages/desktop/src/**'], [onlyCoreForDesktop, noSdk]),
    importRules(['packages/gateway/src/**'], [onlyShared, onlySdkClient]),
    importRules(['packages/connect/src/**'], [onlyShared, noSdk]),
    importRules(['packages/look/src/**'], [onlyText, noSdk], [...noProcess, noCoreRoot]),
    importRules(['apps/page/src/**'], [onlySharedAndLook, noSdk]),
    importRules(['apps/aggregator/src/**'], [noTestkit, onlyPublicIndex, noSdk]),
    importRules(['apps/aggregator/src/cli.ts'], [noTestkit, onlyPublicIndex, noSdk], []),
    {
      files: ['packages/testkit/src/**'],
      rules: {
        'eslint/no-restricted-imports': ['error', { patterns: [onlyCoreForTests, noTooling] }],
        'typescript/no-unsafe-type-assertion': 'off',
      },
    },
    importRules(['packages/toaster/src/**'], [onlyBundledCore, noSdk], [...noProcess, noCoreRoot]),
    importRules([`${SERVERS}/**`], [onlyCore, noSdk, noInternal]),
    importRules([`${SERVERS}/cli.ts`], [onlyCore, noSdk], []),
    importRules([`${SERVERS}/main.ts`], [onlyCore, noSdk]),
    importRules(
      [`${SERVERS}/*/**`],
      [onlyCore, noSdk, onlyPureCore, noComposition],
      [...noProcess, noCoreRoot],
    ),
    importRules([`${SERVERS}/{tools,prompts,resources,commands}/**`], [onlyCore, noSdk, noInternal]),
    { files: ['{packages,apps}/*/src/**'], rules: { 'eslint/max-lines': ['error', 400] } },
    { files: [`${SERVERS}/cli.ts`], rules: { 'eslint/max-lines': ['error', 14] } },
    {
      files: TESTS,
      rules: {
        'eslint/max-lines': 'off',
        'eslint/no-restricted-globals': 'off',
        'eslint/no-restricted-imports': 'off',
      },
    },
    {
      files: TESTS.map((pattern) => `{packages,apps}/${pattern}`),
      rules: { 'eslint/no-restricted-imports': ['error', { patterns: [noTooling] }] },
    },
    { files: ['tooling/**', ...TESTS], rules: { 'typescript/no-unsafe-type-assertion': 'off' } },
    { files: ['tooling/**'], rules: { 'eslint/no-console': 'off' } },
    { files: ['*.config.ts', '**/drizzle.config.ts'], rules: { 'import/no-default-export': 'off' } },
  ],
  ignorePatterns: ['**/dist/'],
});
