import { dirname } from 'node:path';
import type { Plugin } from 'esbuild';

interface Replacement {
  /** Any module of the dependency. */
  readonly dependency: RegExp;
  readonly module: RegExp;
  readonly contents: string;
}

/** What a bin would load at every start and never uses: a fifth of its code. */
const REPLACEMENTS: readonly Replacement[] = [
  {
    // Messages in fifty languages. Zod reads only the English ones unless a program asks for others.
    dependency: /\/node_modules\/zod\//,
    module: /\/zod\/v4\/locales\/index\.js$/,
    contents: `export { default as en } from './en.js';`,
  },
  {
    // The SDK has two validators of JSON Schema, of which ajv is the larger one.
    dependency: /\/@modelcontextprotocol\/server\//,
    module: /\/@modelcontextprotocol\/server\/dist\/shimsNode\.mjs$/,
    contents: `
      export { CfWorkerJsonSchemaValidator as DefaultJsonSchemaValidator } from './validators/cfWorker.mjs';
      export { default as process } from 'node:process';`,
  },
];

/** Bundles smaller variants of two dependencies. A build fails if they no longer have these modules or exports. */
export const leanDependencies: Plugin = {
  name: 'lean-dependencies',
  setup({ onLoad, onEnd }) {
    for (const { module, contents } of REPLACEMENTS) {
      onLoad({ filter: module }, ({ path }) => ({ contents, resolveDir: dirname(path) }));
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
