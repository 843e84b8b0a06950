// Runs a server for a host and appends every line between them to a file: `node recorder.ts FILE PROGRAM ARGUMENT…`.
import { spawn } from 'node:child_process';
import { appendFileSync } from 'node:fs';
import { createInterface } from 'node:readline';

const [file = '', program = '', ...args] = process.argv.slice(2);
const child = spawn(program, args, { stdio: ['pipe', 'pipe', 'inherit'] });

function pass(from: NodeJS.ReadableStream, to: NodeJS.WritableStream, side: 'host' | 'server'): void {
  createInterface({ input: from })
    .on('line', (line) => {
      appendFileSync(file, `${JSON.stringify({ at: Date.now(), side, line })}\n`);
      to.write(`${line}\n`);
    })
    .on('close', () => to.end());
}

pass(process.stdin, child.stdin, 'host');
pass(child.stdout, process.stdout, 'server');
child.on('exit', (code) => process.exit(code ?? 1));
for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, () => child.kill(signal));
