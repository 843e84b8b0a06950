import { readFileSync } from 'node:fs';
import { KNOWN_CLIENTS } from '@deskside/core/internal';
import { expect, test } from 'vitest';
import { HOSTS } from './hosts.ts';
import { PAGE, pageOf, storedResults, withFacts } from './page.ts';

test('docs/hosts.md shows the stored results, of the hosts in their pinned versions', () => {
  const results = storedResults();
  const page = readFileSync(PAGE, 'utf8');
  expect(page).toBe(pageOf(page, results));
  const measured = Object.entries(results.hosts).map(([id, { version }]) => `${id} ${version}`);
  expect(measured.toSorted()).toEqual(
    HOSTS.map(({ id, install }) => `${id} ${install.split('@').at(-1)}`).toSorted(),
  );
});

test('a run changes the facts of its host and part, and of its questions only what was asked', () => {
  const stored = storedResults();
  const [facts, day] = [{ 60: '61 s' }, '2026-12-01'];
  const questions = { ...stored.questions, codex: { ...stored.questions['codex'], ...facts } };
  const measured = { ...stored.measured, questions: { ...stored.measured.questions, codex: day } };
  const asked = withFacts(stored, 'questions', 'codex', facts, day);
  expect(asked).toStrictEqual({ ...stored, questions, measured });
  const { hosts } = withFacts(stored, 'hosts', 'codex', { title: 'Codex' }, day);
  expect(hosts).toStrictEqual({ ...stored.hosts, codex: { title: 'Codex' } });
});

test('the clients table of core has a row for each measured host, with its version and its name as a client', () => {
  const { hosts } = storedResults();
  const rows = KNOWN_CLIENTS.filter(({ version }) => version !== undefined);
  expect(rows.map(({ id }) => id).toSorted()).toEqual(Object.keys(hosts).toSorted());
  for (const { id, title, name, version, defersTools } of rows) {
    const measured = hosts[id];
    expect(measured).toMatchObject({
      title,
      version,
      clientInfo: { name: expect.stringMatching(name ?? '') },
    });
    expect((measured?.tools.shown ?? 0) < (measured?.tools.listed ?? 0), `${title} defers tools`).toBe(
      defersTools === true,
    );
  }
});
