import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { chosenRows } from '@deskside/testkit';
import { hasChromium } from '@deskside/testkit/chromium';
import { expect, test } from 'vitest';
import {
  environmentOf,
  onPageOfDesk,
  onSocket,
  optionAndWindowOf,
  optionOf,
  pageElsewhere,
  terminalOf,
  windowOf,
} from './testing/gates/of-commands.ts';
import {
  callInForm,
  callWithoutWindow,
  loginInForm,
  loginWithoutWindow,
  ofCalls,
  ofLogins,
  onPhone,
  toolsOfDesk,
} from './testing/gates/of-desk.ts';
import { approvalOf, inPage, inWindow } from './testing/gates/on-screen.ts';
import { cellsOf, type GateCell, gateTable, type Surface } from './testing/gates/table.ts';
import { SCRIPT } from './testing/terminal-program.ts';

const LISTING = 'what a server lists';
const MORE = 'what lets agents do more';
const display = { 'on the display of the person': pageElsewhere };

/** Where a person could decide, and what could decide instead. */
const SURFACES: Readonly<Record<string, Surface>> = {
  window: {
    'a call': { ...inWindow('a call'), ...ofCalls },
    [LISTING]: { ...inWindow(LISTING), ...windowOf(LISTING) },
    [MORE]: { ...inWindow(MORE), ...windowOf(MORE) },
    'a login': { ...inWindow('a login'), ...ofLogins },
  },
  'page of the desk': {
    'a call': { ...inPage('a call'), ...display },
    [LISTING]: onPageOfDesk(LISTING),
    [MORE]: onPageOfDesk(MORE),
    'a login': { ...inPage('a login'), ...display },
  },
  'form of the client': {
    'a call': callInForm,
    [LISTING]: toolsOfDesk,
    [MORE]: toolsOfDesk,
    'a login': loginInForm,
  },
  phone: {
    'a call': onPhone(approvalOf('a call')),
    [LISTING]: onPhone(approvalOf(LISTING)),
    [MORE]: onPhone(approvalOf(MORE)),
    'a login': onPhone(approvalOf('a login')),
  },
  terminal: {
    'a call': callWithoutWindow,
    [LISTING]: terminalOf(LISTING, ['add', 'shop', 'URL']),
    [MORE]: terminalOf(MORE, ['apply']),
    'a login': loginWithoutWindow,
  },
  'the option --yes': {
    'a call': callWithoutWindow,
    [LISTING]: optionOf(LISTING),
    [MORE]: optionAndWindowOf(MORE),
    'a login': loginWithoutWindow,
  },
  environment: {
    'a call': { 'the person is asked': ofCalls['the person is asked'], ...displayOf(ofCalls) },
    [LISTING]: environmentOf(LISTING),
    [MORE]: environmentOf(MORE),
    'a login': { 'the person is asked': ofLogins['the person is asked'], ...displayOf(ofLogins) },
  },
  'socket of the desk': { 'a call': onSocket, [LISTING]: onSocket, [MORE]: onSocket, 'a login': onSocket },
};

function displayOf(ways: typeof ofCalls) {
  return { 'on the display of the person': ways['on the display of the person'] };
}

const LOGIN_IN_VIEW = 'The button of a login does not wait until its sentence was in view, which is short.';
const TERMINAL_IN_VIEW = 'A terminal prints all of it, and cannot know what was in view.';

/** What is missing, by surface, decision and gate. */
const MISSING: Readonly<Record<string, string>> = {
  'window, a login: all of it was in view': LOGIN_IN_VIEW,
  'page of the desk, a login: all of it was in view': LOGIN_IN_VIEW,
  'terminal, what a server lists: all of it was in view': TERMINAL_IN_VIEW,
  'terminal, what lets agents do more: all of it was in view': TERMINAL_IN_VIEW,
  'the option --yes, what a server lists: the person is asked':
    'By design `--yes` accepts what a server lists, also if no one has read it.',
};

const keyOf = ({ surface, decision, gate }: GateCell) =>
  `${surface}, ${decision}: ${gate ?? 'allows nothing'}`;
const missing = (cell: GateCell) => MISSING[keyOf(cell)];

const CELLS = cellsOf(SURFACES);
const SECURITY = join(import.meta.dirname, '../../../SECURITY.md');
const [BEGIN, END] = ['<!-- gates -->', '<!-- /gates -->'];

test
  .skipIf(!hasChromium || !existsSync(SCRIPT))
  .each(chosenRows(CELLS, 4).map((cell) => [keyOf(cell), cell] as const))('%s', async (key, cell) => {
  const holds = await cell.trial();
  expect(holds, holds ? `delete the words of "${key}"` : `say what is missing: "${key}"`).toBe(
    missing(cell) === undefined,
  );
});

test('SECURITY.md has the table of these cells', async () => {
  const text = readFileSync(SECURITY, 'utf8');
  const [before = '', rest = ''] = text.split(BEGIN);
  const [, after = ''] = rest.split(END);
  const table = [BEGIN, '', ...gateTable(CELLS, missing), '', END].join('\n');
  await expect(before + table + after).toMatchFileSnapshot(SECURITY);
});
