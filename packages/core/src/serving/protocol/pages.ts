import { UserError } from '../../errors/index.ts';

/**
 * A list as the protocol sends it: in one page, because many clients read only the first one.
 *
 * @throws UserError for a cursor, which no list gives to a client
 */
export function onlyPage<Item>(items: readonly Item[], cursor: string | undefined): Item[] {
  // The same array each time: its text is kept. The SDK's types do not say that it changes none.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  if (cursor === undefined) return items as Item[];
  throw new UserError({
    error: 'Invalid cursor: this server did not give it.',
    code: 'INVALID_ARGUMENT',
    hint: 'Read the list again without a cursor.',
  });
}
