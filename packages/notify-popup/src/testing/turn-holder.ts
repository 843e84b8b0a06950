import { takeTurn } from '../turn/turn.ts';

const [, , folder = ''] = process.argv;
await takeTurn(folder, new AbortController().signal);
process.send?.('has the turn');
