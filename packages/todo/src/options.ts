import { join } from 'node:path';
import { defineOptions, folders, listField } from '@deskside/core/cli';
import { messageOf } from '@deskside/core/errors';
import { z } from 'zod';
import { databasePath } from './store/database-path.ts';

export const todoOptions = defineOptions(
  'TODO',
  {
    database: z
      .string()
      .min(1, 'use the path of a file')
      .transform((value, context) => {
        try {
          return databasePath(value);
        } catch (error) {
          context.addIssue(messageOf(error));
          return z.NEVER;
        }
      })
      .default(() => join(folders().data, 'todo.sqlite'))
      .meta({
        env: 'TODO_DATABASE_URL',
        placeholder: 'FILE',
        defaultText: 'todo.sqlite in the user data folder',
        description: 'SQLite file with the tasks, as a path or a file: URL.',
      }),
    user: z.string().trim().min(1, 'use an id such as owner').default('owner').meta({
      env: 'TODO_USER_ID',
      placeholder: 'ID',
      description: 'User who owns the tasks: the caller on stdio, and over HTTP with the bearer token.',
    }),
    delegatedUsers: listField().meta({
      placeholder: 'IDS',
      description:
        'Other users that this user may act for, separated by commas. For backends that authenticate their users themselves.',
    }),
  },
  { httpPort: 3334 },
);

export interface TodoOptions {
  /** Path or `file:` URL of the SQLite file; `:memory:` for a database that ends with the process. */
  readonly database: string;
  /** Default `owner`. */
  readonly user?: string;
  /** Users that `user` may act for. */
  readonly delegatedUsers?: readonly string[];
  readonly now?: () => Date;
}
