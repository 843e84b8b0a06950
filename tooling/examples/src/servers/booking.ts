#!/usr/bin/env node
/** Booking: asks for what is missing, then for a confirmation, and binds the confirmation to the offer. */
import '@deskside/core/stdout';
import {
  acceptedContent,
  defineServer,
  inputRequired,
  inputResponse,
  type RequestContext,
  toolDefiner,
  UserError,
} from '@deskside/core';
import { defineOptions, runServer } from '@deskside/core/cli';
import { z } from 'zod';

/** The form: a client knows lengths and ranges, and no patterns. */
const party = z.object({
  guests: z.int().min(1).max(12).describe('Number of guests, for example 2.'),
  time: z.string().length(5).describe('Time of arrival, for example 19:30.'),
});
const validParty = party.extend({ time: z.string().regex(/^(?:[01]\d|2[0-3]):[0-5]\d$/) });
const consent = z.object({ confirm: z.boolean().describe('Book this table?') });
/** What the user confirms. It travels through the client, sealed. */
const offer = party.extend({ restaurant: z.string(), table: z.int() });
type Offer = z.output<typeof offer>;

const CANCELLED = { status: 'cancelled' } as const;

class Tables implements AsyncDisposable {
  readonly bookings: (Offer & { readonly user: string })[] = [];
  #next = 1;

  reserve(): number {
    this.#next += 1;
    return this.#next - 1;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.bookings.length = 0;
  }
}

function checkClient({ input }: RequestContext): void {
  if (input.capabilities.elicitation !== undefined) return;
  throw new UserError({
    error: 'This client cannot ask the user, and a booking needs a confirmation.',
    code: 'UNAVAILABLE',
    hint: 'Use a client that supports elicitation.',
  });
}

const bookTable = toolDefiner<Tables>()({
  name: 'book_table',
  title: 'Book a table',
  description: 'Books a table. The user fills in the party and confirms the booking.',
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: false },
  input: z.object({ restaurant: z.string().min(1).describe('Name of the restaurant, for example "Roma".') }),
  output: z.object({
    status: z.enum(['booked', 'cancelled']),
    table: z.int().optional(),
    guests: z.int().optional(),
    time: z.string().optional(),
  }),
  async run({ restaurant }, tables, ctx) {
    checkClient(ctx);
    const { input, principal } = ctx;
    const state = input.state();
    if (state !== undefined) {
      const accepted = acceptedContent(input.responses, 'consent', consent);
      if (accepted?.confirm !== true) return CANCELLED;
      const confirmed = offer.parse(state);
      tables.bookings.push({ ...confirmed, user: principal.user });
      return {
        status: 'booked',
        table: confirmed.table,
        guests: confirmed.guests,
        time: confirmed.time,
      };
    }
    const answer = inputResponse(input.responses, 'party');
    if (answer.kind === 'elicit' && answer.action !== 'accept') return CANCELLED;
    const given = acceptedContent(input.responses, 'party', validParty);
    if (given === undefined) {
      const message = `When, and how many, at ${restaurant}?`;
      return inputRequired({
        inputRequests: { party: inputRequired.elicit({ message, requestedSchema: party }) },
      });
    }
    const proposal: Offer = { ...given, restaurant, table: tables.reserve() };
    const message = `Table ${proposal.table} at ${restaurant}, ${given.guests} guests, ${given.time}?`;
    return inputRequired({
      inputRequests: { consent: inputRequired.elicit({ message, requestedSchema: consent }) },
      requestState: await input.seal(proposal),
    });
  },
});

const listBookings = toolDefiner<Tables>()({
  name: 'list_bookings',
  title: 'List bookings',
  description: 'Returns the bookings of the authenticated user.',
  annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  input: z.object({}),
  output: z.array(offer),
  run: (_args, { bookings }, { principal }) =>
    bookings
      .filter(({ user }) => user === principal.user)
      .map(({ restaurant, table, guests, time }) => ({ restaurant, table, guests, time })),
});

await runServer({
  name: 'booking',
  version: '1.0.0',
  summary: 'Books tables.',
  options: defineOptions('BOOKING', {}),
  open: () => new Tables(),
  definition: (tables) =>
    defineServer({ name: 'booking', version: '1.0.0', deps: tables, tools: [bookTable, listBookings] }),
});
