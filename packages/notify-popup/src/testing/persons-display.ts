/** Loaded into a program with `--import`: the person's login session is at the display that a test has opened. */
import process from 'node:process';
import { personsSession } from '../desktop/person.ts';

const { TEST_DISPLAY: display = '', TEST_XAUTHORITY: authority = '' } = process.env;
const desktop = { pid: process.pid, env: { DISPLAY: display, XAUTHORITY: authority } };
personsSession.find = async () => (display === '' ? undefined : { display, desktop });
