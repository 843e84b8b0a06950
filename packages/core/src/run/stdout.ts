/** Imported first by a bin, before any module that might print while it loads. */
import { redirectConsole } from './redirect-console.ts';

redirectConsole();
