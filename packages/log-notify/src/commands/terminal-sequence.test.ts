import { expect, test } from 'vitest';
import { terminalSequence } from './terminal-sequence.ts';

const asked = {
  client: 'Claude Code',
  title: 'Claude Code · shop asks you',
  message: 'Which; one?\n- \u001B]0;a',
};
const ssh = { SSH_CONNECTION: '10.0.0.2 50022 10.0.0.1 22' };

test.each([
  [
    'over SSH',
    { ...ssh, TERM: 'xterm-256color' },
    '\u001B]9;Claude Code · shop asks you: Which; one? · \\x1b]0;a\u001B\\\u0007',
  ],
  [
    'over SSH from a terminal of VTE',
    { ...ssh, VTE_VERSION: '7600' },
    '\u001B]777;notify;Claude Code · shop asks you;Which, one? · \\x1b]0,a\u001B\\\u0007',
  ],
  [
    'over SSH in foot',
    { ...ssh, TERM: 'foot' },
    '\u001B]777;notify;Claude Code · shop asks you;Which, one? · \\x1b]0,a\u001B\\\u0007',
  ],
])('a hook %s returns the notification of the terminal, with nothing active in it', (_, env, sequence) => {
  expect(terminalSequence(asked, env)).toBe(sequence);
});

test('a hook of a host that takes no sequence returns none', () => {
  expect(terminalSequence({ ...asked, client: 'Codex' }, ssh)).toBeUndefined();
});
