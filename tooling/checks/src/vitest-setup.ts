import { configureGlobal } from 'fast-check';

// Runs before each test file: properties begin with the seed of the run. Reports have messages only, so the error is in them.
configureGlobal({ seed: Number(process.env['DESKSIDE_SEED']), includeErrorInReport: true });
