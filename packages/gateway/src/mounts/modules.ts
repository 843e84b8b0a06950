import { readFileSync } from 'node:fs';
import { createRequire, findPackageJSON } from 'node:module';
import { isAbsolute, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Awaitable, ServerDefinition } from '@deskside/core';
import { isObject } from '@deskside/core/base';
import { errnoOf, identityName, messageOf } from '@deskside/core/errors';
import { matches } from './glob.ts';
import { kept } from './kept.ts';
import { degradedMount, inMount, type Mount, type MountApprovals } from './mount.ts';
import { type StartTimer, systemTimer } from './timer.ts';

/** A server of another package, as deskside.toml names it. */
export interface ModuleMount {
  /** Name of a package, or path of a file; relative to the folder of deskside.toml. */
  readonly module: string;
  readonly flat?: boolean;
  readonly brief?: string;
  readonly run?: readonly string[];
  readonly ask?: readonly string[];
  readonly block?: readonly string[];
  /** Passed to the module's `open`. */
  readonly options?: Readonly<Record<string, unknown>>;
}

/** What a package exports to be mounted by deskside.toml. */
export interface MountModule<Opened = unknown> {
  /** Opens what lives as long as the process. If the result is disposable, it is disposed of at the end. */
  open?(options: Readonly<Record<string, unknown>>): Awaitable<Opened>;
  /** The server, or a function of what `open` returned. */
  readonly definition: ServerDefinition | ((opened: Opened) => ServerDefinition);
}

export interface LoadedModule {
  readonly mount: Mount;
  readonly close: () => Promise<void>;
}

const OPEN_LIMIT_MS = 10_000;

/**
 * Loads a module and opens it. A module that fails or does not finish in 10 s is a degraded mount.
 *
 * @param folder of deskside.toml
 */
export async function loadModule(
  id: string,
  { module: name, flat, brief, options = {}, ...rules }: ModuleMount,
  folder: string,
  startTimer: StartTimer = systemTimer,
): Promise<LoadedModule> {
  const { promise: expired, resolve: expire } = Promise.withResolvers<'expired'>();
  const stop = startTimer(OPEN_LIMIT_MS, () => expire('expired'));
  const opening = inMount({ id }, () => openModule(name, options, folder));
  try {
    const opened = await Promise.race([opening, expired]);
    if (opened === 'expired') throw new Error(`it did not open within ${OPEN_LIMIT_MS / 1000} s`);
    const mount = {
      id,
      definition: withoutBlocked(opened.definition, rules.block),
      approvals: { rules, toolOf: toolsOf(opened.definition) },
      ...(flat === undefined ? {} : { flat }),
      ...(brief === undefined ? {} : { brief }),
    };
    return { mount, close: opened.close };
  } catch (error) {
    // What opens too late is not used, so it is closed at once.
    opening.then(
      (late) => late.close(),
      () => undefined,
    );
    const mount = degradedMount(id, `${name} cannot be mounted: ${messageOf(error)}.`);
    return { mount, close: async () => undefined };
  } finally {
    stop();
  }
}

/** Its tools by their own names. */
function toolsOf(definition: ServerDefinition): MountApprovals['toolOf'] {
  return async (name, view) => {
    const tools = await definition.listTools({ ...view, toolName: identityName });
    const tool = tools.find((each) => each.name === name);
    return tool && { name, annotations: tool.annotations, definition: tool };
  };
}

function withoutBlocked(definition: ServerDefinition, block: readonly string[] = []): ServerDefinition {
  if (block.length === 0) return definition;
  const isBlocked = matches(block);
  type Tools = Awaited<ReturnType<ServerDefinition['listTools']>>;
  const allowed = kept((all: Tools, own: Tools) =>
    all.filter((_, index) => !isBlocked(own[index]?.name ?? '')),
  );
  return {
    ...definition,
    listTools: async (view) =>
      allowed(
        await definition.listTools(view),
        await definition.listTools({ ...view, toolName: identityName }),
      ),
  };
}

interface OpenedModule {
  readonly definition: ServerDefinition;
  readonly close: () => Promise<void>;
}

async function openModule(
  name: string,
  options: Readonly<Record<string, unknown>>,
  folder: string,
): Promise<OpenedModule> {
  const loaded: unknown = await import(urlOf(name, folder));
  if (!isMountModule(loaded)) throw new Error('it exports no "definition"');
  const opened = await loaded.open?.(options);
  const disposable: Partial<AsyncDisposable & Disposable> = Object(opened);
  const close = async () => (disposable[Symbol.asyncDispose] ?? disposable[Symbol.dispose])?.call(opened);
  const { definition: exported } = loaded;
  const definition = typeof exported === 'function' ? exported(opened) : exported;
  if (!isDefinition(definition)) {
    await close();
    throw new Error('its "definition" is not a server definition of @deskside/core');
  }
  return { definition, close };
}

/** A package is searched next to deskside.toml first, then next to this program. */
function urlOf(name: string, folder: string): string {
  if (name.startsWith('.') || isAbsolute(name)) return pathToFileURL(resolve(folder, name)).href;
  try {
    return packageUrl(name, pathToFileURL(join(folder, 'deskside.toml')));
  } catch (error) {
    if (errnoOf(error) === NOT_EXPORTED) throw error;
    return packageUrl(name, new URL(import.meta.url));
  }
}

const NOT_EXPORTED = 'ERR_PACKAGE_PATH_NOT_EXPORTED';

function packageUrl(name: string, parent: URL): string {
  try {
    return pathToFileURL(createRequire(parent).resolve(name)).href;
  } catch (error) {
    if (errnoOf(error) !== NOT_EXPORTED) throw error;
    return entryForImport(name, parent, error);
  }
}

const CONDITIONS: ReadonlySet<string> = new Set(['import', 'node', 'default']);

/** What a package exports for `import` only, which `require.resolve` does not find. */
function entryForImport(name: string, parent: URL, problem: unknown): string {
  const file = findPackageJSON(name, parent);
  if (file === undefined) throw problem;
  const { exports }: { exports?: unknown } = JSON.parse(readFileSync(file, 'utf8'));
  const subpath = `.${name.replace(/^(?:@[^/]+\/)?[^/]+/, '')}`;
  const hasPaths = isObject(exports) && Object.keys(exports).some((key) => key.startsWith('.'));
  const main = subpath === '.' ? exports : undefined;
  let target: unknown = hasPaths ? exports[subpath] : main;
  while (isObject(target)) target = Object.entries(target).find(([key]) => CONDITIONS.has(key))?.[1];
  if (typeof target !== 'string') throw problem;
  return new URL(target, pathToFileURL(file)).href;
}

function isMountModule(value: unknown): value is MountModule {
  return typeof value === 'object' && value !== null && 'definition' in value;
}

/** No `instanceof`: the package may use another copy of core. */
function isDefinition(value: unknown): value is ServerDefinition {
  if (!isObject(value) || !isObject(value['identity']) || !isObject(value['capabilities'])) return false;
  return typeof value['listTools'] === 'function' && typeof value['callTool'] === 'function';
}
