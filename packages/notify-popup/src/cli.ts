#!/usr/bin/env node
import '@deskside/core/stdout';
import { runAsk } from './ask.ts';
import { runDoctor } from './doctor.ts';
import { runPopupServer } from './serve-popup.ts';

const words = process.argv.slice(2);
const exit = (code: number) => {
  process.exitCode = code;
};
if (words[0] === 'ask') await runAsk(exit);
else if (words.includes('--doctor')) await runDoctor(exit);
else await runPopupServer();
