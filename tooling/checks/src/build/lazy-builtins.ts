import type { Plugin } from 'esbuild';

/** Parts of Node.js that take milliseconds to load, and that most starts do not use before the first call. */
const LAZY = ['node:child_process', 'node:crypto', 'node:util'];

const isLazy = new RegExp(`^(?:${LAZY.join('|')})$`);

/**
 * Loads these modules of Node.js with the first use of one of their functions or classes by the project's own code. An
 * import of anything else from them fails the build.
 */
export const lazyBuiltins: Plugin = {
  name: 'lazy-builtins',
  setup({ onLoad, onResolve }) {
    onResolve({ filter: isLazy }, ({ path, kind, importer }) =>
      kind === 'import-statement' && !importer.includes('/node_modules/')
        ? { path, namespace: 'lazy-builtin', sideEffects: false }
        : undefined,
    );
    onLoad({ filter: isLazy, namespace: 'lazy-builtin' }, async ({ path }) => {
      const exported = (await import(path)) as Readonly<Record<string, unknown>>;
      const names = Object.keys(exported).filter((name) => typeof exported[name] === 'function');
      return { contents: [LAZY_FUNCTION, ...names.map((name) => lazyExport(path, name))].join('\n') };
    });
  },
};

function lazyExport(path: string, name: string): string {
  return `export const ${name} = /* @__PURE__ */ lazy('${path}', '${name}');`;
}

/** The proxy passes on what others read of a function, such as `promisify.custom`. */
const LAZY_FUNCTION = `
  function lazy(path, name) {
    const load = () => process.getBuiltinModule(path)[name];
    return new Proxy(function () {}, {
      apply: (_, self, args) => Reflect.apply(load(), self, args),
      construct: (_, args, target) => Reflect.construct(load(), args, target),
      get: (_, key) => Reflect.get(load(), key),
    });
  }`;
