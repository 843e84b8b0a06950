import { EventEmitter } from 'node:events';
import { PassThrough } from 'node:stream';
import type { Child } from '../external/process-group.ts';

/** A program in this process: its pipes, and what signals it gets. */
export class ScriptedChild extends EventEmitter implements Child {
  readonly pid = undefined;
  readonly stdin = new PassThrough();
  readonly stdout = new PassThrough();
  readonly stderr = new PassThrough();
  readonly signals: NodeJS.Signals[] = [];

  signal(signal: NodeJS.Signals): void {
    this.signals.push(signal);
  }

  end(code: number | null, signal: NodeJS.Signals | null = null): void {
    this.emit('exit', code, signal);
    this.emit('close');
  }
}
