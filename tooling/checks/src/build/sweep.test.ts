import { globSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '@deskside/testkit';
import { expect, test } from 'vitest';
import { removeOtherBuilds } from './sweep.ts';

test('files of another build are removed, and files that a file of this build names stay', () => {
  const folder = temporaryFolder();
  mkdirSync(join(folder, 'dist/chunks'), { recursive: true });
  const files = {
    'dist/index.js': 'import { a } from "./chunks/chunk-AAAAAAAA.js";',
    'dist/chunks/chunk-AAAAAAAA.js': 'export const a = () => import("./later-BBBBBBBB.js");',
    'dist/chunks/later-BBBBBBBB.js': '',
    'dist/chunks/chunk-CCCCCCCC.js': 'import "./chunk-DDDDDDDD.js";',
    'dist/chunks/chunk-DDDDDDDD.js': 'import "./chunk-CCCCCCCC.js";',
    'dist/worker.js': '',
  };
  for (const [path, code] of Object.entries(files)) writeFileSync(join(folder, path), code);
  removeOtherBuilds(folder);
  expect(globSync('dist/**/*.js', { cwd: folder }).toSorted()).toStrictEqual([
    'dist/chunks/chunk-AAAAAAAA.js',
    'dist/chunks/later-BBBBBBBB.js',
    'dist/index.js',
    'dist/worker.js',
  ]);
});
