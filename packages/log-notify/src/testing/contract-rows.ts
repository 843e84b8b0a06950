import { KNOWN_CONTEXTS, type Level } from '../notification/notification.ts';

/** The arguments of a call and the record that the file gets. */
export interface ContractRow {
  readonly args: Readonly<Record<string, unknown>>;
  readonly level: Level;
  readonly context: string;
}

const messages = [
  'Found potential security vulnerability in authentication logic at line 145',
  'Detected deprecated API usage - recommend updating to newer version',
  'Processing large codebase - this may take a few minutes',
  'Completed analysis of 47 files, found 3 issues requiring attention',
  'Multiple merge conflicts detected - manual intervention may be required',
  'Automatically selected main branch as merge target based on git history',
  'Identified common pattern that could be extracted to shared utility',
  'Found existing implementation of requested feature in legacy module',
  'Complex refactoring detected - breaking into smaller steps for safety',
  'Found 3 potential refactoring opportunities',
  'Starting with highest-impact changes first',
];

/** Every example of the contract, and every value that it replaces with a default. */
export const contractRows: readonly ContractRow[] = [
  ...messages.map((message): ContractRow => ({ args: { message }, level: 'info', context: 'llm' })),
  {
    args: {
      message: 'Database migration detected - recommend backing up data before proceeding',
      level: 'warn',
      context: 'safety',
    },
    level: 'warn',
    context: 'safety',
  },
  ...(['info', 'warn', 'error'] as const).map((level): ContractRow => ({
    args: { message: `at ${level}`, level },
    level,
    context: 'llm',
  })),
  ...KNOWN_CONTEXTS.map((context): ContractRow => ({
    args: { message: `about ${context}`, context },
    level: 'info',
    context,
  })),
  ...['critical', '', null, 7, {}, 'debug'].map((level): ContractRow => ({
    args: { message: `level ${JSON.stringify(level)}`, level },
    level: 'info',
    context: 'llm',
  })),
  ...['warning', ' Warning '].map((level): ContractRow => ({
    args: { message: `level ${level}`, level },
    level: 'warn',
    context: 'llm',
  })),
  { args: { message: 'level ERROR', level: 'ERROR' }, level: 'error', context: 'llm' },
  ...['', null, 7].map((context): ContractRow => ({
    args: { message: `context ${JSON.stringify(context)}`, context },
    level: 'info',
    context: 'llm',
  })),
  { args: { message: 'unknown arguments are ignored', urgent: true }, level: 'info', context: 'llm' },
  { args: { message: '  spaces around stay  ' }, level: 'info', context: 'llm' },
  { args: { message: '😀' }, level: 'info', context: 'llm' },
];

/** The contract's template of a workflow. */
export const workflow = `1. Analyze codebase structure
2. {{ notify "Found 3 potential refactoring opportunities" }}
3. Prioritize changes by impact
4. {{ notify "Starting with highest-impact changes first" }}
`;
