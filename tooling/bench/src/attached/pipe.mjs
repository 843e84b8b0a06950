// The least that a client of a socket can do: it moves bytes and knows nothing about them.
import { connect } from 'node:net';

const socket = connect(process.argv[2]);
process.stdin.pipe(socket);
socket.pipe(process.stdout);
