import { lstatSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { basename, dirname, join, resolve, sep } from 'node:path';
import { allNamesIn, namesIn } from '@deskside/core/base';
import { folders, readOptions } from '@deskside/core/program';
import { unlessStartFails } from '@deskside/core/errors';
import type { Self } from '@deskside/connect';
import { loadNotificationsFile } from '@deskside/log-notify';
import { builtInOptions, type MountSettings } from '../mounts/built-in.ts';

interface Kind {
  /** Id of a mount, or `deskside` for the aggregator and for what all servers share. */
  readonly server: string;
  readonly purpose: string;
}

/** Files that Deskside stores on this machine under one path. */
export interface StoredItem extends Kind {
  /** A file or a folder. */
  readonly path: string;
  /** Number of files. */
  readonly files: number;
  readonly bytes: number;
  /** True if other programs may use it, too: it is never deleted. */
  readonly isShared: boolean;
}

export interface StoredContext extends Pick<Self, 'platform' | 'uid'> {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Path of deskside.toml, if an option names it. */
  readonly config: string | undefined;
  /** Settings of the mounts in deskside.toml, by mount id. */
  readonly settings: Readonly<Record<string, MountSettings>>;
}

const builtIn = await builtInOptions();
const notificationsFileIn = await loadNotificationsFile();

/** What the names in Deskside's own folders begin with. */
const KINDS: readonly (readonly [name: RegExp, server: string, purpose: string])[] = [
  [/^todo\.sqlite/, 'todo', 'tasks: the database, its write-ahead log, and copies made before a migration'],
  [/^popup-history$/, 'popup', 'questions of agents with your answers'],
  [/^popup-drafts$/, 'popup', 'texts that you typed and did not send, for 24 hours'],
  [/^popup-browser$/, 'popup', "profiles of the popup's browser"],
  [/^popup$/, 'popup', 'sockets and pages of open popups'],
  [/^notify\.jsonl/, 'log', 'notifications, as "tail" shows them'],
  [/^log-notify\.toml/, 'log', 'your configuration of notifications'],
  [/^deskside\.toml/, 'deskside', 'your configuration'],
  [
    /^desk\.sqlite/,
    'deskside',
    'who asked, reported and called what, with its content, deliveries that still wait, and "Not now"',
  ],
  [/^desk\.log/, 'deskside', 'the log of the desk'],
  [/^desk$/, 'deskside', 'where the desk listens, and its secret'],
  [/^token$/, 'deskside', 'the main bearer token for HTTP'],
  [/^tokens\.json/, 'deskside', 'digests of the tokens for other clients'],
  [/^secret$/, 'deskside', 'the key of session ids and elicitations'],
  [/^connections\.json/, 'deskside', 'the clients that "connect" changed, for --undo'],
  [/^approvals\.json/, 'deskside', 'what you always allow or deny'],
  [/^accepted$/, 'deskside', 'what you have accepted'],
  [/^logins$/, 'deskside', 'logins at external servers'],
];
const RUNTIME: Kind = {
  server: 'deskside',
  purpose: 'sockets of the desk and of popups, and what the desk database cannot have in its own folder now',
};
const COPIES: Kind = { server: 'manictime', purpose: 'copies and demo data of running servers' };

function kindOf(name: string): Kind {
  const [, server = 'deskside', purpose = 'unknown to this version'] =
    KINDS.find(([known]) => known.test(name)) ?? [];
  return { server, purpose };
}

/**
 * Everything that Deskside's servers store with this configuration, ordered by server and path.
 *
 * @throws StartError for a folder that cannot be read, which may hold more
 */
export function storedItems(context: StoredContext): readonly StoredItem[] {
  const { env, platform, uid } = context;
  const { data, config, state } = folders();
  // The popup ignores variables such as XDG_STATE_HOME there.
  const own = [data, config, state, folders(platform, {}).state];
  const runtime = env['XDG_RUNTIME_DIR'] || undefined;
  // Other users have files there, too.
  const ofUser = (path: string, kind: Kind) =>
    uid === undefined || lstatSync(path, { throwIfNoEntry: false })?.uid === uid ? itemsAt(path, kind) : [];
  const found = [
    ...own.flatMap((folder) =>
      allNamesIn(folder).flatMap((name) => itemsAt(join(folder, name), kindOf(name))),
    ),
    ...ofUser(join(tmpdir(), `deskside-${uid}`), RUNTIME),
    ...(runtime === undefined ? [] : ofUser(join(runtime, 'deskside'), RUNTIME)),
    ...namesIn(tmpdir())
      .filter((name) => name.startsWith('deskside-manictime-'))
      .flatMap((name) => ofUser(join(tmpdir(), name), COPIES)),
    ...inSandboxes('snap', 'common/deskside-popup'),
    ...inSandboxes('.var/app', 'deskside-popup'),
    ...configured(context, own),
  ];
  const items = [...new Map(found.map((item) => [item.path, item])).values()];
  const key = ({ server, path }: StoredItem) => `${server} ${path}`;
  return items.toSorted((one, other) => (key(one) < key(other) ? -1 : 1));
}

/** Browsers from snap and flatpak packages can use only folders that belong to the package. */
function inSandboxes(packages: string, folder: string): StoredItem[] {
  const parent = join(homedir(), packages);
  return namesIn(parent).flatMap((name) => itemsAt(join(parent, name, folder), kindOf('popup-browser')));
}

/** What settings move to another place. */
function configured({ env, settings, config: given }: StoredContext, own: readonly string[]): StoredItem[] {
  const setting = (id: string, key: string) => {
    const options = builtIn[id];
    const values: Readonly<Record<string, unknown>> | undefined =
      options && unlessStartFails(() => readOptions(options, { flags: {}, env, file: settings[id] ?? {} }));
    const value = values?.[key];
    return typeof value === 'string' ? value : undefined;
  };
  const database = setting('todo', 'database');
  const ofLog = setting('log', 'config');
  const notifications =
    setting('log', 'file') ?? notificationsFileIn(ofLog ?? join(folders().config, 'log-notify.toml'));
  const voiceMode = join(env['VOICEMODE_BASE_DIR'] || join(homedir(), '.voicemode'), 'logs/conversations');
  // What is in a folder of Deskside is listed with it. The servers would not start without what an option names, and it can
  // belong to a repository.
  const named = (path: string | undefined, kind: Kind) =>
    path === undefined || own.some((folder) => resolve(path).startsWith(folder + sep))
      ? []
      : itemsAt(resolve(path), kind, true);
  return [
    ...named(given, kindOf('deskside.toml')),
    ...named(ofLog, kindOf('log-notify.toml')),
    ...named(setting('popup', 'historyDir'), kindOf('popup-history')),
    ...named(voiceMode, kindOf('popup-history')),
    ...(/^postgres(?:ql)?:/.test(database ?? '') ? [] : besides(database, kindOf('todo.sqlite'))),
    ...besides(notifications, kindOf('notify.jsonl')),
  ];
}

/** The files whose names are that of a file and an ending that its server gives. */
function besides(file: string | undefined, kind: Kind): StoredItem[] {
  if (file === undefined) return [];
  const [folder, base] = [dirname(resolve(file)), basename(file)];
  const ending = /^(?:-wal|-shm|\.v\d+\.bak(?:\.partial)?|\.\d+|\.lock|\.tail)?$/;
  return allNamesIn(folder)
    .filter((name) => name.startsWith(base) && ending.test(name.slice(base.length)))
    .flatMap((name) => itemsAt(join(folder, name), kind));
}

/** No item for a path that does not exist. */
function itemsAt(path: string, { server, purpose }: Kind, isShared = false): StoredItem[] {
  const size = sizeOf(path);
  return size === undefined ? [] : [{ server, path, ...size, purpose, isShared }];
}

/** Counts links as files and does not follow them. */
function sizeOf(path: string): { readonly files: number; readonly bytes: number } | undefined {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (stats === undefined) return undefined;
  if (!stats.isDirectory()) return { files: 1, bytes: stats.size };
  return total(namesIn(path).flatMap((name) => sizeOf(join(path, name)) ?? []));
}

export function total(sizes: readonly Pick<StoredItem, 'files' | 'bytes'>[]) {
  return {
    files: sizes.reduce((sum, { files }) => sum + files, 0),
    bytes: sizes.reduce((sum, { bytes }) => sum + bytes, 0),
  };
}
