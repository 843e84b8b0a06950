#!/usr/bin/env node
import { join } from 'node:path';
import { serve } from '@deskside/core';
import {
  clientConfiguration,
  defineCommand,
  defineOptions,
  folders,
  listenFields,
  listenOptions,
  type ListenSettings,
  loadOrCreateToken,
  runProgram,
  serverSecret,
} from '@deskside/core/cli';
import { libraryServer } from './tools.ts';

/** A server with the settings of `runServer`, always over HTTP. */
const main = defineCommand({
  options: defineOptions('LIBRARY', listenFields),
  async run(values, { print }) {
    const token = values.token ?? (await loadOrCreateToken(join(folders().data, 'token')));
    const secret = await serverSecret(values);
    const settings: ListenSettings = values;
    const serving = await serve(libraryServer({ books: new Map() }), {
      http: listenOptions(settings, token),
      ...(secret === undefined ? {} : { secret }),
    });
    print(clientConfiguration('library', serving.url ?? '', token));
  },
});

await runProgram({
  name: 'library',
  version: '1.0.0',
  summary: 'Serves books over HTTP.',
  commands: {},
  main,
});
