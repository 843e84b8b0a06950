/**
 * Reserves stdout for JSON-RPC and for the output of commands; everything else that is printed goes to stderr. A bin
 * imports this module first, before any module that prints while it loads.
 */
import { claimStandardOutput } from './standard-streams.ts';

claimStandardOutput();
