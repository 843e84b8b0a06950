#!/usr/bin/env node
import { existsSync } from 'node:fs';
import { bundle, removeStaleOutput } from './bundle.ts';

const directory = process.cwd();
if (existsSync('src/cli.ts')) await bundle(directory);
removeStaleOutput(directory);
