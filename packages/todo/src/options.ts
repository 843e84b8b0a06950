import { join } from 'node:path';
import { DEFAULT_USER } from '@deskside/core/base';
import {
  choiceField,
  defineOptions,
  folders,
  integerField,
  listField,
  type OptionsOf,
} from '@deskside/core/program';
import { messageOf, unlessStartFails } from '@deskside/core/errors';
import * as z from 'zod';
import { databasePath, POSTGRES_SCHEMES, postgresUrl } from './store/database-path.ts';

const EDITIONS = ['core', 'all'] as const;

/** Which tools a server offers. */
export type Edition = (typeof EDITIONS)[number];

export const todoOptions = defineOptions(
  'TODO',
  {
    database: z
      .string()
      .min(1, 'use the path of a file')
      .transform(checked(databasePath))
      .default(defaultDatabase)
      .meta({
        env: 'TODO_DATABASE_URL',
        address: { isPath: true, schemes: ['file', ...POSTGRES_SCHEMES], words: [':memory:'] },
        placeholder: 'DATABASE',
        defaultText: 'todo.sqlite in the user data folder',
        description: 'Where the tasks are: the path of an SQLite file, a file: URL, or a postgres:// URL.',
      }),
    migrationUrl: z
      .string()
      .transform(checked(postgresUrl))
      .optional()
      .meta({
        flag: false,
        isSecret: true,
        address: { isPath: false, schemes: POSTGRES_SCHEMES },
        placeholder: 'URL',
        description:
          'postgres:// URL of a role that may create tables, if the role of TODO_DATABASE_URL must not.',
      }),
    connections: integerField(1, 1000).default(10).meta({
      placeholder: 'NUMBER',
      description: 'How many connections to PostgreSQL this server opens at most.',
    }),
    user: z.string().trim().min(1, 'use an id such as owner').default(DEFAULT_USER).meta({
      env: 'TODO_USER_ID',
      placeholder: 'ID',
      description: 'User who owns the tasks: the caller on stdio, and over HTTP with the bearer token.',
    }),
    delegatedUsers: listField().meta({
      placeholder: 'IDS',
      description:
        'Other users that this user may act for, separated by commas. For backends that authenticate their users themselves.',
    }),
    tools: choiceField(EDITIONS).default('all').meta({
      changesListing: true,
      placeholder: 'EDITION',
      description:
        'core: the tools of the contract. all: also search, due dates, order of work, idempotency keys, and tools to claim, get, reopen and restore a task.',
    }),
  },
  { httpPort: 3334 },
);

/** @returns an empty text without a home folder: lists need no database, and the first call reports what is missing */
function defaultDatabase(): string {
  return unlessStartFails(() => join(folders().data, 'todo.sqlite')) ?? '';
}

/** Reports what `read` throws as the problem of the value. */
function checked(read: (value: string) => string) {
  return (value: string, context: z.RefinementCtx): string => {
    try {
      return read(value);
    } catch (error) {
      context.addIssue(messageOf(error));
      return z.NEVER;
    }
  };
}

/** What a program passes to `openTodo`: `todoOptions` has the descriptions and the defaults. */
export type TodoOptions = Partial<OptionsOf<typeof todoOptions>>;
