import { isObject } from '@deskside/core/base';
import { type Options, readOptions } from '@deskside/core/program';
import { unlessStartFails } from '@deskside/core/errors';
import { parse, TomlError } from 'smol-toml';
import * as z from 'zod';
import { BUILT_IN_IDS, builtInOptions, type MountSettings } from '../mounts/built-in.ts';
import {
  type ModuleMount,
  mountIdProblem,
  approvalFields,
  type ApprovalLevel,
  globsField,
  LEVELS,
  type Profile,
  TOOLS_MODES,
} from '@deskside/gateway';
import {
  type ExternalServer,
  readExternal,
  checked,
  entriesOf,
  type Problem,
  type Report,
  syntaxProblem,
  unknownKey,
  withoutUndefined,
} from '@deskside/gateway/config';
import { type PhoneTable, phoneTable } from './phone.ts';
import { lineOf } from './positions.ts';

/** What deskside.toml contains. */
export interface DeskConfig {
  /** Settings of Deskside's own servers, by mount id. */
  readonly settings: Readonly<Record<string, MountSettings>>;
  /** Other servers, by mount id. */
  readonly modules: Readonly<Record<string, ModuleMount>>;
  /** Servers of other processes and machines, by mount id. */
  readonly external: Readonly<Record<string, ExternalServer>>;
  readonly profiles: ReadonlyMap<string, Profile>;
  /** Which calls of clients on stdio ask the person. Default `ask`. */
  readonly approvals?: ApprovalLevel | undefined;
  /** By the name of a client, in lowercase. */
  readonly clients: ReadonlyMap<string, ApprovalLevel>;
  /** Undefined: nothing goes to a phone. */
  readonly phone?: PhoneTable | undefined;
}

export const emptyConfig: DeskConfig = {
  settings: {},
  modules: {},
  external: {},
  profiles: new Map(),
  clients: new Map(),
};

export interface DeskFile {
  /** What is valid. */
  readonly config: DeskConfig;
  readonly problems: readonly Problem[];
}

const names = z.array(z.string({ error: 'use a list of texts' }), { error: 'use a list of texts' });

const level = z.enum(LEVELS, { error: 'use "ask", "destructive" or "off"' });

const profileTable = z.strictObject({
  mounts: names.optional(),
  include: globsField.optional(),
  exclude: globsField.optional(),
  tools: z.enum(TOOLS_MODES, { error: 'use "auto", "all" or "search"' }).optional(),
  approvals: level.optional(),
});

const clientTable = z.strictObject({ approvals: level });

const approvalsTable = z.object({ approvals: level.optional() });

const moduleTable = z.strictObject({
  module: z
    .string({ error: 'use the name of a package or the path of a file' })
    .min(1, 'use the name of a package or the path of a file'),
  flat: z.boolean({ error: 'use true or false' }).optional(),
  brief: z.string({ error: 'use a text' }).optional(),
  options: z.record(z.string(), z.unknown(), { error: 'use a table' }).optional(),
  ...approvalFields,
});

const builtIn = await builtInOptions();
const TABLES = ['mounts', 'mcpServers', 'profiles', 'clients', 'phone'];
const ROOT_KEYS = [...TABLES, 'approvals'];
const PROFILE_NAME = /^[a-z0-9][a-z0-9_-]{0,31}$/;

/** Reads deskside.toml. What has a problem is left out; a syntax error leaves out everything. */
export function readDeskFile(text: string): DeskFile {
  let root: Readonly<Record<string, unknown>>;
  try {
    root = parse(text);
  } catch (error) {
    if (!(error instanceof TomlError)) throw error;
    return { config: emptyConfig, problems: [syntaxProblem(error)] };
  }
  const problems: Problem[] = [];
  const report = (path: readonly string[], message: string) => {
    problems.push({ line: lineOf(text, path), message: `${path.join('.')}: ${message}` });
  };
  for (const key of Object.keys(root)) {
    if (!ROOT_KEYS.includes(key)) report([key], unknownKey(key, 'Keys', ROOT_KEYS));
  }
  const mounts = readMounts(root['mounts'], report);
  const external = readExternal(
    root['mcpServers'],
    [...BUILT_IN_IDS, ...Object.keys(mounts.modules)],
    report,
  );
  const ids = [...BUILT_IN_IDS, ...Object.keys(mounts.modules), ...Object.keys(external)];
  const profiles = readProfiles(root['profiles'], ids, report);
  const clients = new Map<string, ApprovalLevel>();
  for (const [name, client] of entriesOf(['clients'], root['clients'], report)) {
    const read = checked(clientTable, ['clients', name], client, report);
    if (read !== undefined) clients.set(name.toLowerCase(), read.approvals);
  }
  const approvals = checked(approvalsTable, [], { approvals: root['approvals'] }, report);
  const phone =
    root['phone'] === undefined ? undefined : checked(phoneTable, ['phone'], root['phone'], report);
  return {
    config: { ...mounts, external, profiles, clients, ...withoutUndefined({ ...approvals, phone }) },
    problems: problems.toSorted((a, b) => a.line - b.line),
  };
}

function readMounts(table: unknown, report: Report): Pick<DeskConfig, 'settings' | 'modules'> {
  const settings: Record<string, MountSettings> = {};
  const modules: Record<string, ModuleMount> = {};
  for (const [id, mount] of entriesOf(['mounts'], table, report)) {
    const path = ['mounts', id];
    if (!isObject(mount)) report(path, 'use a table.');
    else if (BUILT_IN_IDS.includes(id)) settings[id] = readSettings(id, mount, report);
    else {
      const problem = mountIdProblem(id);
      if (problem !== undefined) report(path, problem);
      const module = checked(moduleTable, path, mount, report);
      if (problem === undefined && module !== undefined) modules[id] = withoutUndefined(module);
    }
  }
  return { settings, modules };
}

function readSettings(id: string, table: Readonly<Record<string, unknown>>, report: Report): MountSettings {
  const options = builtIn[id];
  const known = new Map((options?.settings ?? []).map(({ key }) => [snakeCase(key), key]));
  const settings: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(table)) {
    const key = known.get(name);
    const path = ['mounts', id, name];
    if (key === undefined) {
      report(path, unknownKey(name, `Settings of ${id}`, [...known.keys()]));
    } else {
      settings[key] = Array.isArray(value) ? value.join(',') : value;
      const problem = options === undefined ? undefined : settingProblem(options, key, settings[key]);
      if (problem !== undefined) report(path, problem);
    }
  }
  return settings;
}

/** The sentence that rejects one value, without the words about its source. */
function settingProblem(options: Options, key: string, value: unknown): string | undefined {
  return unlessStartFails(
    () => void readOptions(options, { flags: {}, env: {}, file: { [key]: value } }),
    ({ message }) => message.replace(/^.*? in the configuration file: /, '').replace(/ See --help\.$/, ''),
  );
}

function readProfiles(
  table: unknown,
  mountIds: readonly string[],
  report: Report,
): ReadonlyMap<string, Profile> {
  const profiles = new Map<string, Profile>();
  for (const [name, profile] of entriesOf(['profiles'], table, report)) {
    const path = ['profiles', name];
    if (!PROFILE_NAME.test(name)) {
      report(path, 'use 1 to 32 lowercase letters, digits, "_" and "-" as the name.');
      continue;
    }
    const read = checked(profileTable, path, profile, report);
    if (read === undefined) continue;
    for (const id of read.mounts ?? []) {
      if (!mountIds.includes(id))
        report([...path, 'mounts'], `unknown mount "${id}". Mounts: ${mountIds.join(', ')}.`);
    }
    profiles.set(name, withoutUndefined(read));
  }
  return profiles;
}

function snakeCase(key: string): string {
  return key.replaceAll(/[A-Z]/g, (capital) => `_${capital.toLowerCase()}`);
}
