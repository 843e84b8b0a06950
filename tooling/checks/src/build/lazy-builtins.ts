import type { Plugin } from 'esbuild';

/**
 * Parts of Node.js that take milliseconds to load, and that most starts do not use before the first call.
 * See docs/decisions/0067.
 */
const LAZY = [
  'node:async_hooks',
  'node:child_process',
  'node:crypto',
  'node:fs/promises',
  'node:module',
  'node:net',
  'node:os',
  'node:timers/promises',
  'node:url',
  'node:util',
];

/**
 * Loaded already when a program starts. An import of one reads all its properties, which for some loads further parts
 * and opens the standard streams.
 */
const LOADED = ['node:events', 'node:fs', 'node:path'];
const PROCESS = 'node:process';

const isReplaced = new RegExp(`^(?:${[...LAZY, ...LOADED, PROCESS].join('|')})$`);
const NAMESPACE = 'lazy-builtin';

/**
 * Loads these modules of Node.js with the first use of one of their functions or classes by the project's own code. An
 * import of anything else from them fails the build. An import of the process becomes the global one, and one
 * of what is loaded already reads what is used.
 */
export const lazyBuiltins: Plugin = {
  name: 'lazy-builtins',
  setup({ onLoad, onResolve }) {
    onResolve({ filter: isReplaced }, ({ path, kind, importer }) =>
      kind === 'import-statement' && (path === PROCESS || !importer.includes('/node_modules/'))
        ? { path, namespace: NAMESPACE }
        : undefined,
    );
    onLoad({ filter: isReplaced, namespace: NAMESPACE }, async ({ path }) => ({
      contents:
        path === PROCESS
          ? `export default process;\n${reads('process', process)}`
          : LOADED.includes(path)
            ? // A Node.js without the function is too old, and the program says so before it uses any of these.
              reads(`process.getBuiltinModule?.(${JSON.stringify(path)}) ?? {}`, await import(path))
            : lazyFunctions(path, await import(path)),
    }));
  },
};

function namesOf(module: object): string[] {
  return Object.keys(module).filter((name) => /^[a-z]\w*$/i.test(name) && name !== 'default');
}

/** @param source an expression with the value of the module */
function reads(source: string, module: object): string {
  const names = namesOf(module).map(
    (name) => `export const ${name} = /* @__PURE__ */ (() => loaded.${name})();`,
  );
  return [`const loaded = /* @__PURE__ */ (() => ${source})();`, ...names].join('\n');
}

function lazyFunctions(path: string, module: Readonly<Record<string, unknown>>): string {
  const names = namesOf(module).filter((name) => typeof module[name] === 'function');
  const reads = names.map(
    (name) => `export const ${name} = /* @__PURE__ */ lazy(${JSON.stringify(path)}, '${name}');`,
  );
  return [LAZY_FUNCTION, ...reads].join('\n');
}

/** The proxy passes on what others read of a function, such as `promisify.custom`. */
const LAZY_FUNCTION = `
  function lazy(path, name) {
    let loaded;
    const load = () => (loaded ??= process.getBuiltinModule(path)[name]);
    return new Proxy(function () {}, {
      apply: (_, self, args) => Reflect.apply(load(), self, args),
      construct: (_, args, target) => Reflect.construct(load(), args, target),
      get: (_, key) => Reflect.get(load(), key),
    });
  }`;
