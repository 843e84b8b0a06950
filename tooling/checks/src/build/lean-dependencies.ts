import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Plugin } from 'esbuild';

interface Replacement {
  /** Any module of the dependency. */
  readonly dependency: RegExp;
  readonly module: RegExp;
  /** @throws Error if the module is not what the replacement was written for */
  readonly contents: (source: string) => string;
}

/** What a bin would load at every start and never uses: a fifth of its code, and half of its Zod schemas. */
const REPLACEMENTS: readonly Replacement[] = [
  {
    // Messages in fifty languages. Zod reads only the English ones unless a program asks for others.
    dependency: /\/node_modules\/zod\//,
    module: /\/zod\/v4\/locales\/index\.js$/,
    contents: () => `export { default as en } from './en.js';`,
  },
  {
    // The SDK has two validators of JSON Schema, of which ajv is the larger one. Importing `node:process` would open all
    // standard streams and load its other parts.
    dependency: /\/@modelcontextprotocol\/server\//,
    module: /\/@modelcontextprotocol\/server\/dist\/shimsNode\.mjs$/,
    contents: () => `
      export { CfWorkerJsonSchemaValidator as DefaultJsonSchemaValidator } from './validators/cfWorker.mjs';
      export const process = globalThis.process;`,
  },
  {
    // The SDK creates schemas of all types of the specification and of OAuth. The bundler removes those that nothing
    // uses, if it knows that their creation has no other effect.
    dependency: /\/@modelcontextprotocol\/core\//,
    module: /\/@modelcontextprotocol\/core\/dist\/(?:auth|schemas)-[^/]+\.mjs$/,
    contents: (source) =>
      replaced(
        source,
        /^const (\w+Schema) = (.*(?:\n[\t\])}].*)*);$/gm,
        'const $1 = /* @__PURE__ */ (() => $2)();',
      ),
  },
  {
    // `specTypeSchemas` and `isSpecType` use each of these schemas. They are created in one expression, for the same reason.
    dependency: /\/@modelcontextprotocol\/server\//,
    module: /\/@modelcontextprotocol\/server\/dist\/src-[^/]+\.mjs$/,
    contents: (source) =>
      replaced(
        source,
        /^const _specTypeSchemas = \{\};\n([^]*?\n)\/\*\*\n([^]*?)^const specTypeSchemas = (.*);\n([^]*?)^const isSpecType = (.*);$/m,
        `const specTypes = /* @__PURE__ */ (() => {
          const _specTypeSchemas = {};
          $1
          return { schemas: $3, guards: $5 };
        })();
        const specTypeSchemas = /* @__PURE__ */ (() => specTypes.schemas)();
        const isSpecType = /* @__PURE__ */ (() => specTypes.guards)();`,
      ),
  },
];

function replaced(source: string, pattern: RegExp, replacement: string): string {
  const result = source.replace(pattern, replacement);
  if (result === source) throw new Error(`Nothing matches ${pattern}. Change lean-dependencies.ts.`);
  return result;
}

/** Bundles smaller variants of some dependencies. A build fails if they no longer have these modules or exports. */
export const leanDependencies: Plugin = {
  name: 'lean-dependencies',
  setup({ onLoad, onEnd }) {
    for (const { module, contents } of REPLACEMENTS) {
      onLoad({ filter: module }, ({ path }) => ({
        contents: contents(readFileSync(path, 'utf8')),
        resolveDir: dirname(path),
      }));
    }
    onEnd(({ metafile }) => {
      const inputs = Object.keys(metafile?.inputs ?? {});
      for (const { dependency, module } of REPLACEMENTS) {
        const isBundled = inputs.some((input) => dependency.test(input));
        if (isBundled && !inputs.some((input) => module.test(input)))
          throw new Error(`No bundled module matches ${module}. Change lean-dependencies.ts.`);
      }
    });
  },
};

const SDK_SCHEMAS = /\/@modelcontextprotocol\/core\/dist\/internal\.mjs$/;

/**
 * Gives the client of the SDK a separate copy of the schemas. A chunk contains whole modules: with one copy, every start
 * would create the schemas that only the client needs.
 */
export const separateClientSchemas: Plugin = {
  name: 'separate-client-schemas',
  setup({ onLoad, onResolve, resolve }) {
    onResolve(
      { filter: /^@modelcontextprotocol\/core\/internal$/ },
      async ({ path, pluginData, ...from }) => {
        const isClient = from.importer.includes('/@modelcontextprotocol/client/');
        if (!isClient || pluginData !== undefined) return undefined;
        return { ...(await resolve(path, { ...from, pluginData: 'resolved' })), suffix: '?client' };
      },
    );
    onLoad({ filter: SDK_SCHEMAS }, ({ path, suffix }) => ({
      contents: readFileSync(path, 'utf8'),
      resolveDir: dirname(path),
      pluginData: suffix,
    }));
    onResolve({ filter: /^\.\// }, ({ path, importer, resolveDir, pluginData }) =>
      SDK_SCHEMAS.test(importer) ? { path: join(resolveDir, path), suffix: pluginData as string } : undefined,
    );
  },
};
