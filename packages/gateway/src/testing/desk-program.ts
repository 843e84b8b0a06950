/** A program with one external server that does not end by itself. It prints the server's lines. */
import { createLog } from '@deskside/core';
import { deskWith, running, trustingSource } from './external.ts';
import { callOf, fakeServer, listingOf } from './fake.ts';
import { rawDefinition } from './raw-peer.ts';

const log = createLog({ level: 'info', write: (line) => process.stdout.write(line) });
const desk = await deskWith(
  { x: running(fakeServer('stubborn')) },
  { log, sources: { x: trustingSource(listingOf('pid')) } },
);
const peer = await rawDefinition(desk.aggregator.definition, { era: 'legacy' });
await callOf(peer, 'x_pid');
process.stdout.write('started\n');
process.stdin.resume();
