#!/usr/bin/env node
import { firstAnswers } from '@deskside/core/internal';

const first = await firstAnswers(new URL('first-answers.json', import.meta.url), process);
const { run } = await import('./main.ts');
await run(first);
