import { join } from 'node:path';
import { defineOptions, folders, listField } from '@deskside/core';
import { z } from 'zod';

const postgres = /^postgres(ql)?:\/\//i;

export const todoOptions = defineOptions('TODO', {
  database: z
    .string()
    .min(1)
    .refine((value) => !postgres.test(value), 'PostgreSQL is not supported yet; give the path of a file')
    .default(() => join(folders().data, 'todo.sqlite'))
    .meta({
      env: 'TODO_DATABASE_URL',
      placeholder: 'FILE',
      defaultText: "todo.sqlite in the platform's folder for user data",
      description: 'SQLite file that holds the tasks.',
    }),
  user: z.string().min(1).default('owner').meta({
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
  /** Path of the SQLite file; `:memory:` keeps nothing. */
  readonly database: string;
  /** Default `owner`. */
  readonly user?: string;
  /** Users that `user` may act for. */
  readonly delegatedUsers?: readonly string[];
  readonly now?: () => Date;
}
