/**
 * What only the programs of Deskside use. It can change in any version.
 *
 * One process per user holds something, and others talk to it over lines. The desk, the popup's queue and its news
 * helper are made of it. See docs/decisions/0042.
 *
 * Node.js has no file locks, and process ids are reused. So the connections to the holder show that it lives: they end
 * at once with it, also after kill -9. Numbered files decide who follows: `link` gives each number to one process, and
 * the highest one is never deleted, so a slow process sees that it is too late.
 */
export { KNOWN_CLIENTS } from '../clients/known-client.ts';
export { type Greeting, greet } from './greet.ts';
export { hold, type Holding, type HoldOptions, socketAddress } from './holder.ts';
export { type JournalOptions, openJournal } from '../journal/journal.ts';
export { followJournal, readJournal } from '../journal/read.ts';
export { isForeign, type LoopbackServer, peerUid, readBody, refuse, serveLoopback } from './loopback.ts';
export { exchangeLines, sendLine } from './lines.ts';
export { type HolderPlace, type HolderRecord, type Latest, latestRecord, openPlace } from './record.ts';
export { matchesUriTemplate } from '../definition/resource.ts';
export type { ClientProcess, ClientRoots } from '../definition/context.ts';
export { type AttachedOptions, attachedServer, type ServeAttached } from '../serving/serve-attached.ts';
export type { AttachedClient, AttachedServing } from '../serving/stdio/serve-stdio.ts';
export { standardOutput } from '../run/standard-streams.ts';
export {
  firstAnswers,
  type FirstAnswers,
  type FirstExchanges,
  shapeOf,
} from '../serving/stdio/first-answers.ts';
