/**
 * One process per user holds something, and others talk to it over lines. The desk, the popup's queue and its news
 * helper are made of it; nothing else uses it. See docs/decisions/0042.
 *
 * Node.js has no file locks, and process ids are reused. So the connections to the holder show that it lives: they end
 * at once with it, also after kill -9. Numbered files decide who follows: `link` gives each number to one process, and
 * the highest one is never deleted, so a slow process sees that it is too late.
 */
export { type Greeting, greet } from './greet.ts';
export { hold, type Holding, type HoldOptions } from './holder.ts';
export { exchangeLines, Lines, parseObject, sendLine } from './lines.ts';
export { type HolderPlace, type HolderRecord, type Latest, latestRecord, openPlace } from './record.ts';
