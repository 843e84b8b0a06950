import { expect, test } from 'vitest';
import { terminalSequence } from './terminal-sequence.ts';

const asked = {
  client: 'Claude Code',
  title: 'Claude Code · shop asks you',
  message: 'Which; one?\n- \u001B]0;a',
};
const ssh = { SSH_CONNECTION: '10.0.0.2 50022 10.0.0.1 22' };

const OSC_9 = '\u001B]9;Claude Code · shop asks you: Which; one? · \\x1b]0;a\u001B\\\u0007';
const OSC_777 = '\u001B]777;notify;Claude Code · shop asks you;Which, one? · \\x1b]0,a\u001B\\\u0007';

test.each([
  ['over SSH', { ...ssh, TERM: 'xterm-256color' }, OSC_9],
  ['over SSH from a terminal of VTE', { ...ssh, VTE_VERSION: '7600' }, OSC_777],
  ['over SSH in foot', { ...ssh, TERM: 'foot' }, OSC_777],
])('a hook %s returns the notification of the terminal, with nothing active in it', (_, env, sequence) => {
  expect(terminalSequence(asked, env)).toBe(sequence);
});

test('a hook of a host that takes no sequence returns none', () => {
  expect(terminalSequence({ ...asked, client: 'Codex' }, ssh)).toBeUndefined();
});
