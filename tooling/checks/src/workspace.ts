import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';

export interface Manifest {
  readonly name: string;
  readonly version?: string;
  readonly description?: string;
  readonly private?: boolean;
  readonly mcpName?: string;
  readonly scripts?: Readonly<Record<string, string>>;
  readonly bin?: Readonly<Record<string, string>>;
  readonly exports?: Readonly<Record<string, string>>;
  readonly engines?: Readonly<Record<string, string>>;
  readonly publishConfig?: {
    readonly bin?: Readonly<Record<string, string>>;
    readonly exports?: Readonly<Record<string, string>>;
  };
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
  /** A file for browsers, built by the package itself. */
  readonly unpkg?: string;
  readonly jsdelivr?: string;
  readonly deskside?: {
    /** Folders of `src` that are read at run time. */
    readonly assets?: readonly string[];
    /** Large libraries whose used parts are copied into `dist`, so that users do not install them. */
    readonly inlined?: readonly string[];
    /** For a library that is published in few files: those that a server imports when it starts. */
    readonly joined?: readonly string[];
    /** For a program: the modules that its usual starts load one after the other. The code of each start is in few files. */
    readonly started?: readonly (readonly string[])[];
    /** How many tools of the list the specification has; further ones come after them. */
    readonly specifiedTools?: number;
  };
}

/** `server.json`, the manifest for the MCP registry. */
export interface ServerManifest {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly version: string;
  readonly packages: readonly {
    readonly version: string;
    readonly packageArguments?: readonly { readonly type: string; readonly value: string }[];
    readonly environmentVariables?: readonly {
      readonly name: string;
      readonly description: string;
      readonly isSecret?: boolean;
    }[];
  }[];
}

/** A tool of `tools.json`. */
export interface ToolListing {
  readonly name: string;
  readonly description: string;
  readonly annotations: Readonly<Record<string, unknown>>;
}

export interface WorkspacePackage {
  readonly name: string;
  readonly directory: string;
  readonly manifest: Manifest;
  readonly server: ServerManifest | undefined;
}

export const root: string = resolve(import.meta.dirname, '../../..');

/** @param directory of a server, or of its unpacked package */
export function toolsIn(directory: string): readonly ToolListing[] {
  return readJson(join(directory, 'tools.json')) as readonly ToolListing[];
}

/** The built program of a package. */
export function programOf(folder: string): string {
  return resolve(root, folder, 'dist/bin/cli.js');
}

/** Entries of a package that others may import: those under `testing/` are for tests of this workspace. */
export function publicExports({ exports = {} }: Manifest): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(exports).filter(([, path]) => !path.includes('/testing/')));
}

/** Every package of the workspace; those of `packages` and `apps` are the product, except the test support and the example. */
export const packages: readonly WorkspacePackage[] = find('{packages,apps,tooling}/*');
export const products: readonly WorkspacePackage[] = [...find('apps/*'), ...find('packages/*')].filter(
  (each) => !['@deskside/example', '@deskside/testkit'].includes(each.name) && !isShortName(each),
);
/** Those with tools: they are in the registry, and the aggregator serves them together. */
export const servers: readonly WorkspacePackage[] = products.filter(
  ({ name, server }) => server !== undefined && name !== '@deskside/aggregator',
);
export const published: readonly WorkspacePackage[] = find('{packages,apps}/*').filter(
  ({ manifest }) => !manifest.private,
);

/** Whether the package is only a short name: it starts the program of the package that it depends on, and has no code. */
export function isShortName({ name }: Pick<WorkspacePackage, 'name'>): boolean {
  return name === 'deskside';
}

/** Whether web pages install the package: it has no dependencies and needs the DOM. */
export function isForPages({ name }: WorkspacePackage): boolean {
  return name === '@deskside/toaster';
}

function find(directories: string): WorkspacePackage[] {
  return globSync(`${directories}/package.json`, { cwd: root })
    .toSorted()
    .map((path) => {
      const directory = join(root, dirname(path));
      const manifest = readJson(join(root, path)) as Manifest;
      const serverPath = join(directory, 'server.json');
      const server = existsSync(serverPath) ? (readJson(serverPath) as ServerManifest) : undefined;
      return { name: manifest.name, directory, manifest, server };
    });
}

function readJson(path: string): unknown {
  return JSON.parse(readFileSync(path, 'utf8'));
}
