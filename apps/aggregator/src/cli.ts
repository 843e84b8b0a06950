#!/usr/bin/env node
import manifest from '../package.json' with { type: 'json' };
import { attachedStdio } from './attach/client.ts';

const notAttached = await attachedStdio(process, manifest.version);
if (notAttached !== undefined) {
  const { runDeskside } = await import('./main.ts');
  await runDeskside(process, manifest.version, notAttached);
}
