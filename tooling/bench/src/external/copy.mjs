// Copies bytes between its own stdio and a server's, and nothing else: the floor of every proxy.
import { spawn } from 'node:child_process';

const [, , command, ...args] = process.argv;
const { stdin, stdout } = spawn(command, args, { stdio: ['pipe', 'pipe', 'ignore'] });
process.stdin.pipe(stdin);
stdout.pipe(process.stdout);
