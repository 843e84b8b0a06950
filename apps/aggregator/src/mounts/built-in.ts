import type { ServerDefinition } from '@deskside/core';
import { type Options, readOptions } from '@deskside/core/cli';
import { logNotifyOptions, logNotifyServer, openLogNotify } from '@deskside/log-notify';
import { manictimeOptions, manictimeServer, openManicTime } from '@deskside/manictime';
import { openPopup, popupOptions, popupServer } from '@deskside/notify-popup';
import { openTodo, todoOptions, todoServer } from '@deskside/todo';
import { openUiToast, uiToastServer } from '@deskside/ui-toast';
import type { Mount } from './mount.ts';

/** For the help of every command that opens the mounts. */
export const MOUNT_VARIABLES =
  'Each mounted server also reads its own environment variables, for example TODO_DATABASE_URL.';

type Environment = Readonly<Record<string, string | undefined>>;

export interface OpenMounts extends AsyncDisposable {
  readonly mounts: readonly Mount[];
  /** The principal on stdio and for the bearer token. */
  readonly user: string;
}

/** Opens Deskside's own servers. Each reads the same environment variables as its standalone program. */
export function openBuiltIn(env: Environment): OpenMounts {
  const todo = readFrom(env, todoOptions);
  const opened = [
    open('log', openLogNotify(readFrom(env, logNotifyOptions)), logNotifyServer),
    open('manictime', openManicTime(manictimeOptionsFrom(env)), manictimeServer),
    open('popup', openPopup(readFrom(env, popupOptions)), popupServer),
    open('toast', openUiToast(), uiToastServer),
    open('todo', openTodo(todo), todoServer),
  ];
  return {
    mounts: opened.map(({ mount }) => mount),
    user: todo.user,
    async [Symbol.asyncDispose]() {
      await Promise.all(opened.map(({ close }) => close()));
    },
  };
}

/** manictime's messages name the environment variable, because `deskside` has no `--data-dir`. */
function manictimeOptionsFrom(env: Environment) {
  const localAppData = env['LOCALAPPDATA'];
  return { ...readFrom(env, manictimeOptions), dataDirSource: 'EnvironmentVariable', localAppData } as const;
}

function readFrom<Schema extends Options['schema']>(env: Environment, options: Options<Schema>) {
  return readOptions(options, { flags: {}, env });
}

function open<Opened extends AsyncDisposable>(
  id: string,
  opened: Opened,
  definition: (opened: Opened) => ServerDefinition,
) {
  const close = async () => opened[Symbol.asyncDispose]();
  return { mount: { id, definition: definition(opened) }, close };
}
