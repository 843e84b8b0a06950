import { lstatSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { basename, dirname, join, resolve, sep } from 'node:path';
import { allNamesIn, namesIn } from '@deskside/core/base';
import { type Folders, folders, readOptions } from '@deskside/core/program';
import { unlessStartFails } from '@deskside/core/errors';
import { loadNotificationsFile } from '@deskside/log-notify';
import { builtInOptions, type MountSettings } from '../mounts/built-in.ts';

/** Files that Deskside stores on this machine under one path. */
export interface StoredItem {
  /** Id of a mount, or `deskside` for the aggregator and for what all servers share. */
  readonly server: string;
  /** A file or a folder. */
  readonly path: string;
  /** Number of files. */
  readonly files: number;
  readonly bytes: number;
  readonly purpose: string;
  /** True if other programs may use it, too: it is never deleted. */
  readonly isShared: boolean;
}

export interface StoredContext {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Path of deskside.toml, if an option names it. */
  readonly config: string | undefined;
  /** Settings of the mounts in deskside.toml, by mount id. */
  readonly settings: Readonly<Record<string, MountSettings>>;
  readonly platform: NodeJS.Platform;
  /** Undefined on Windows. */
  readonly uid: number | undefined;
}

interface Kind {
  /** Of a path in the folder. */
  readonly name: RegExp;
  readonly server: string;
  readonly purpose: string;
}

const builtIn = await builtInOptions();
const notificationsFileIn = await loadNotificationsFile();

const TASKS = 'tasks: the database, its write-ahead log, and copies made before a migration';
const NOTIFICATIONS = 'notifications, as "tail" shows them';
const SETTINGS = 'your configuration';
const NOTIFICATION_SETTINGS = 'your configuration of notifications';
const ANSWERS = 'questions of agents with your answers';
const PROFILES = "profiles of the popup's browser";
const POPUP_FILES = 'sockets and pages of open popups';
const RUNTIME_FILES =
  'sockets of the desk and of popups, and what the desk database cannot have in its own folder now';

const DATA: readonly Kind[] = [
  { name: /^todo\.sqlite/, server: 'todo', purpose: TASKS },
  { name: /^popup-history$/, server: 'popup', purpose: ANSWERS },
  { name: /^token$/, server: 'deskside', purpose: 'the main bearer token for HTTP' },
  { name: /^secret$/, server: 'deskside', purpose: 'the key of session ids and elicitations' },
  { name: /^tokens\.json/, server: 'deskside', purpose: 'digests of the tokens for other clients' },
  {
    name: /^connections\.json/,
    server: 'deskside',
    purpose: 'the clients that "connect" changed, for --undo',
  },
  { name: /^approvals\.json/, server: 'deskside', purpose: 'what you always allow or deny' },
  { name: /^accepted$/, server: 'deskside', purpose: 'what you have accepted' },
  { name: /^logins$/, server: 'deskside', purpose: 'logins at external servers' },
  { name: /^desk$/, server: 'deskside', purpose: 'where the desk listens, and its secret' },
];

const CONFIG: readonly Kind[] = [
  { name: /^deskside\.toml/, server: 'deskside', purpose: SETTINGS },
  { name: /^log-notify\.toml/, server: 'log', purpose: NOTIFICATION_SETTINGS },
];

const STATE: readonly Kind[] = [
  { name: /^notify\.jsonl/, server: 'log', purpose: NOTIFICATIONS },
  { name: /^popup-drafts$/, server: 'popup', purpose: 'texts that you typed and did not send, for 24 hours' },
  { name: /^popup-browser$/, server: 'popup', purpose: PROFILES },
  { name: /^popup$/, server: 'popup', purpose: POPUP_FILES },
  {
    name: /^desk\.sqlite/,
    server: 'deskside',
    purpose:
      'who asked, reported and called what, with its content, deliveries that still wait, and "Not now"',
  },
  { name: /^desk\.log/, server: 'deskside', purpose: 'the log of the desk' },
];

/**
 * Everything that Deskside's servers store with this configuration, ordered by server and path.
 *
 * @throws StartError for a folder that cannot be read, which may hold more
 */
export function storedItems(context: StoredContext): readonly StoredItem[] {
  const { env, platform, uid } = context;
  const places = folders();
  // The popup ignores variables such as XDG_STATE_HOME there.
  const fixedState = folders(platform, {}).state;
  const found = [
    ...inOwnFolder(places.data, DATA),
    ...inOwnFolder(places.config, CONFIG),
    ...inOwnFolder(places.state, STATE),
    ...inOwnFolder(fixedState, STATE),
    ...inSharedFolder(tmpdir(), uid, [
      {
        name: /^deskside-manictime-/,
        server: 'manictime',
        purpose: 'copies and demo data of running servers',
      },
      {
        name: new RegExp(`^deskside-${uid}$`),
        server: 'deskside',
        purpose: RUNTIME_FILES,
      },
    ]),
    ...inSharedFolder(env['XDG_RUNTIME_DIR'] || undefined, uid, [
      { name: /^deskside$/, server: 'deskside', purpose: RUNTIME_FILES },
    ]),
    ...inSandboxes('snap', 'common/deskside-popup'),
    ...inSandboxes('.var/app', 'deskside-popup'),
    ...configured(context, places),
  ];
  return [...new Map(found.map((item) => [item.path, item])).values()].toSorted(
    (a, b) => compare(a.server, b.server) || compare(a.path, b.path),
  );
}

/** All files in a folder of Deskside. @throws StartError for one that cannot be read */
function inOwnFolder(folder: string, kinds: readonly Kind[]): StoredItem[] {
  return allNamesIn(folder).flatMap((name) => {
    const kind = kinds.find((each) => each.name.test(name));
    return itemsAt(join(folder, name), kind ?? { server: 'deskside', purpose: 'unknown to this version' });
  });
}

/** The files of this user with known names in a folder of all programs. */
function inSharedFolder(
  folder: string | undefined,
  uid: number | undefined,
  kinds: readonly Kind[],
): StoredItem[] {
  if (folder === undefined) return [];
  return namesIn(folder).flatMap((name) => {
    const kind = kinds.find((each) => each.name.test(name));
    const path = join(folder, name);
    const isOwn = uid === undefined || lstatSync(path, { throwIfNoEntry: false })?.uid === uid;
    return kind !== undefined && isOwn ? itemsAt(path, kind) : [];
  });
}

/** Browsers from snap and flatpak packages can use only folders that belong to the package. */
function inSandboxes(packages: string, folder: string): StoredItem[] {
  const parent = join(homedir(), packages);
  return namesIn(parent).flatMap((name) =>
    itemsAt(join(parent, name, folder), { server: 'popup', purpose: PROFILES }),
  );
}

/** What settings move to another place. */
function configured(
  { env, settings, config: given }: StoredContext,
  { config, data, state }: Folders,
): StoredItem[] {
  const text = (id: string, key: string) => {
    const options = builtIn[id];
    const values: Readonly<Record<string, unknown>> | undefined =
      options && unlessStartFails(() => readOptions(options, { flags: {}, env, file: settings[id] ?? {} }));
    const value = values?.[key];
    return typeof value === 'string' ? value : undefined;
  };
  const database = text('todo', 'database');
  const ofLog = text('log', 'config');
  const notifications = text('log', 'file') ?? notificationsFileIn(ofLog ?? join(config, 'log-notify.toml'));
  const history = text('popup', 'historyDir');
  const voiceMode = join(env['VOICEMODE_BASE_DIR'] || join(homedir(), '.voicemode'), 'logs/conversations');
  // What is in a folder of Deskside is listed with it.
  const isOwn = (file: string) => [config, data, state].some((folder) => file.startsWith(folder + sep));
  // The servers would not start without what an option names, and it can belong to a repository.
  const named = (file: string | undefined, server: string, purpose: string) =>
    file === undefined || isOwn(resolve(file)) ? [] : itemsAt(resolve(file), { server, purpose }, true);
  return [
    ...named(given, 'deskside', SETTINGS),
    ...named(ofLog, 'log', NOTIFICATION_SETTINGS),
    ...(database === undefined || /^postgres(?:ql)?:/.test(database)
      ? []
      : besides(database, /^(?:-wal|-shm|\.v\d+\.bak(?:\.partial)?)?$/, { server: 'todo', purpose: TASKS })),
    ...(notifications === undefined
      ? []
      : besides(notifications, /^(?:\.\d+|\.lock|\.tail)?$/, { server: 'log', purpose: NOTIFICATIONS })),
    ...[history, voiceMode].flatMap((folder) =>
      folder === undefined || resolve(folder) === join(data, 'popup-history')
        ? []
        : itemsAt(folder, { server: 'popup', purpose: ANSWERS }, true),
    ),
  ];
}

/** The files whose names are that of a file and an ending. */
function besides(file: string, ending: RegExp, kind: Omit<Kind, 'name'>): StoredItem[] {
  const [folder, base] = [dirname(resolve(file)), basename(file)];
  return allNamesIn(folder)
    .filter((name) => name.startsWith(base) && ending.test(name.slice(base.length)))
    .flatMap((name) => itemsAt(join(folder, name), kind));
}

/** No item for a path that does not exist. */
function itemsAt(path: string, { server, purpose }: Omit<Kind, 'name'>, isShared = false): StoredItem[] {
  const size = sizeOf(path);
  return size === undefined ? [] : [{ server, path, ...size, purpose, isShared }];
}

/** Counts links as files and does not follow them. */
function sizeOf(path: string): { readonly files: number; readonly bytes: number } | undefined {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (stats === undefined) return undefined;
  if (!stats.isDirectory()) return { files: 1, bytes: stats.size };
  const sizes = namesIn(path).flatMap((name) => sizeOf(join(path, name)) ?? []);
  return {
    files: sizes.reduce((sum, { files }) => sum + files, 0),
    bytes: sizes.reduce((sum, { bytes }) => sum + bytes, 0),
  };
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
