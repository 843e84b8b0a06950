#!/usr/bin/env node
import { existsSync } from 'node:fs';
import { bundle } from './bundle.ts';
import { joinModules } from './join.ts';
import { readManifest } from './modules.ts';

const directory = process.cwd();
if (existsSync('src/cli.ts')) await bundle(directory);
const { deskside, publishConfig } = readManifest(directory);
if (deskside?.joined !== undefined) {
  await joinModules(directory, Object.values(publishConfig?.exports ?? {}), deskside.joined);
}
