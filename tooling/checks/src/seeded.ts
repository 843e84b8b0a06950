import { configureGlobal } from 'fast-check';

// Runs before each test file: properties begin with the seed of the run.
configureGlobal({ seed: Number(process.env['DESKSIDE_SEED']) });
