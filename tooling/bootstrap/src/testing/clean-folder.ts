import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Readable, Writable } from 'node:stream';
import { onTestFinished } from 'vitest';

export interface Step {
  readonly child: ChildProcessByStdio<Writable, Readable, Readable>;
  /** Resolves when stdout and stderr together contain a text. */
  printed(text: string): Promise<void>;
  output(): string;
  /** Its exit code. */
  readonly ended: Promise<number>;
}

/** A folder like a new clone, with fake programs on the PATH that record their calls. */
export class CleanFolder {
  readonly path = mkdtempSync(join(tmpdir(), 'deskside-bootstrap-'));

  constructor() {
    onTestFinished(() => rmSync(this.path, { recursive: true, force: true }));
  }

  write(file: string, content: string, mode = 0o644): void {
    const path = join(this.path, file);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, content, { mode });
  }

  read(file: string): string {
    return readFileSync(join(this.path, file), 'utf8');
  }

  /**
   * Adds a program that prints its version, records every other call, runs the file `<name>-adds` if it exists, and exits
   * with `exitCode`.
   */
  addProgram(name: string, version: string, exitCode = 0): void {
    const note = `echo "${name} $*" >> "${join(this.path, 'calls')}"`;
    const script = `if [ "$1" = --version ]; then echo ${version}; else ${note}; echo said by ${name}; [ -x ./${name}-adds ] && ./${name}-adds; exit ${exitCode}; fi`;
    this.write(`bin/${name}`, `#!/bin/sh\n${script}\n`, 0o755);
  }

  /** The recorded calls, one per line. */
  calls(): string {
    const file = join(this.path, 'calls');
    return existsSync(file) ? readFileSync(file, 'utf8') : '';
  }

  /** Runs statements in a new process in this folder; `load('processes')` imports a module of the bootstrap from `base`. */
  run(statements: string): Step {
    const base = pathToFileURL(join(import.meta.dirname, '../../')).href;
    const program = `const base = '${base}';\nconst load = (name) => import(base + name + '.mjs');\n${statements}`;
    const child = spawn(process.execPath, ['--input-type=module', '-e', program], {
      cwd: this.path,
      env: { PATH: `${join(this.path, 'bin')}:/usr/bin:/bin` },
      stdio: 'pipe',
    });
    onTestFinished(() => void child.kill('SIGKILL'));
    let output = '';
    const watchers = new Set<() => void>();
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (chunk: string) => {
        output += chunk;
        for (const watch of watchers) watch();
      });
    }
    const ended = once(child, 'close').then(([code]) => Number(code));
    return {
      child,
      output: () => output,
      ended,
      async printed(text) {
        const { promise, resolve, reject } = Promise.withResolvers<void>();
        const look = () => {
          if (output.includes(text)) resolve();
        };
        watchers.add(look);
        look();
        void ended.then(() => reject(new Error(`ended without "${text}": ${output}`)));
        await promise;
      },
    };
  }
}
