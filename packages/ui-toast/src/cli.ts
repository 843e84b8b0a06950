#!/usr/bin/env node
import '@deskside/core/stdout';
import { runServer } from '@deskside/core';
import manifest from '../package.json' with { type: 'json' };
import { uiToastOptions } from './options.ts';
import { uiToastServer } from './server.ts';
import { openUiToast } from './ui-toast.ts';

await runServer({
  name: 'deskside-ui-toast',
  version: manifest.version,
  summary: manifest.description,
  options: uiToastOptions,
  open: () => openUiToast(),
  definition: uiToastServer,
});
