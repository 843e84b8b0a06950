import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type Program, startProgram, temporaryFolder } from '../../../../packages/testkit/src/index.ts';
import { onTestFinished } from 'vitest';

/** A folder like a new clone, with fake programs on the PATH that record their calls. */
export class CleanFolder {
  readonly path = temporaryFolder();

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
  run(statements: string): Program {
    const base = pathToFileURL(join(import.meta.dirname, '../../')).href;
    const code = `process.chdir('${this.path}');\nconst base = '${base}';\nconst load = (name) => import(base + name + '.mjs');\n${statements}`;
    const program = startProgram({
      command: process.execPath,
      args: ['--input-type=module', '-e', code],
      env: { PATH: `${join(this.path, 'bin')}:/usr/bin:/bin` },
    });
    onTestFinished(() => program[Symbol.asyncDispose]());
    return program;
  }
}
