import { type Options, readOptions, type ServerDefinition } from '@deskside/core';
import { logNotifyOptions, logNotifyServer, openLogNotify } from '@deskside/log-notify';
import { manictimeOptions, manictimeServer, openManicTime } from '@deskside/manictime';
import { openPopup, popupOptions, popupServer } from '@deskside/notify-popup';
import { openTodo, todoOptions, todoServer } from '@deskside/todo';
import { openUiToast, uiToastServer } from '@deskside/ui-toast';
import type { Mount } from './mount.ts';

/** How manictime's messages name the setting of its folder: the aggregator passes no flag on to a mount. */
const dataDirSource = 'EnvironmentVariable';

type Environment = Readonly<Record<string, string | undefined>>;

export interface OpenMounts extends AsyncDisposable {
  readonly mounts: readonly Mount[];
  /** The one person whose machine it is: behind stdio and behind the token. */
  readonly user: string;
}

/** Deskside's own servers. Each reads the environment names it reads when it is served alone. */
export function openBuiltIn(env: Environment): OpenMounts {
  const settings = readFrom(env, todoOptions);
  const opened = [
    open('log', openLogNotify(readFrom(env, logNotifyOptions)), logNotifyServer),
    open('manictime', openManicTime({ ...readFrom(env, manictimeOptions), dataDirSource }), manictimeServer),
    open('popup', openPopup(readFrom(env, popupOptions)), popupServer),
    open('toast', openUiToast(), uiToastServer),
    open('todo', openTodo(settings), todoServer),
  ];
  return {
    mounts: opened.map(({ mount }) => mount),
    user: settings.user,
    async [Symbol.asyncDispose]() {
      await Promise.all(opened.map(({ close }) => close()));
    },
  };
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
