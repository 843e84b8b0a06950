import { join } from 'node:path';
import { defineOptions, folders, listField } from '@deskside/core';
import { z } from 'zod';
import { databasePath } from './database-path.ts';

export const todoOptions = defineOptions('TODO', {
  database: z
    .string()
    .min(1, 'give the path of a file')
    .transform((value, context) => {
      try {
        return databasePath(value);
      } catch (error) {
        context.addIssue(error instanceof Error ? error.message : String(error));
        return z.NEVER;
      }
    })
    .default(() => join(folders().data, 'todo.sqlite'))
    .meta({
      env: 'TODO_DATABASE_URL',
      placeholder: 'FILE',
      defaultText: "todo.sqlite in the platform's folder for user data",
      description: 'SQLite file that holds the tasks: its path, or a file: URL.',
    }),
  user: z.string().trim().min(1, 'give an id such as owner').default('owner').meta({
    env: 'TODO_USER_ID',
    placeholder: 'ID',
    description: 'Whose tasks these are: the user behind stdio and behind the bearer token.',
  }),
  delegatedUsers: listField().meta({
    placeholder: 'IDS',
    description:
      'Users, separated by commas, that this user may act for: for backends that authenticate people themselves.',
  }),
});

export interface TodoOptions {
  /** Path or `file:` URL of the SQLite file; `:memory:` keeps nothing. */
  readonly database: string;
  /** Default `owner`. */
  readonly user?: string;
  /** Users that `user` may act for. */
  readonly delegatedUsers?: readonly string[];
  readonly now?: () => Date;
}
