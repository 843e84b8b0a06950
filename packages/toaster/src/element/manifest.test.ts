import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { DesksideToaster } from '../index.ts';

interface Declaration {
  readonly members: readonly Named[];
  readonly events: readonly Named[];
  readonly attributes: readonly Named[];
  readonly cssProperties: readonly Named[];
}

interface Named {
  readonly name: string;
}

const manifest: { readonly modules: readonly { readonly declarations: readonly Declaration[] }[] } =
  JSON.parse(source('../../custom-elements.json'));
const [declaration] = manifest.modules.flatMap(({ declarations }) => declarations);

function names(items: readonly Named[] = []): string[] {
  return items.map(({ name }) => name).toSorted();
}

/** A source file of this folder, or of the card. */
function source(file: string): string {
  return readFileSync(join(import.meta.dirname, file), 'utf8');
}

test('custom-elements.json names every public member of the element', () => {
  const members = Object.getOwnPropertyNames(DesksideToaster.prototype);
  const callbacks = new Set(['constructor', 'connectedCallback', 'disconnectedCallback']);
  expect(names(declaration?.members)).toEqual(members.filter((name) => !callbacks.has(name)).toSorted());
});

test('custom-elements.json names every event and custom property', () => {
  const events = source('controller.ts').matchAll(/^ {4}'(deskside-\w+)': CustomEvent/gm);
  expect(names(declaration?.events)).toEqual([...events].map(([, name = '']) => name).toSorted());
  const properties = `${source('style.ts')}${source('../card/style.ts')}`.matchAll(/--deskside-\w+/g);
  expect(names(declaration?.cssProperties)).toEqual(
    [...new Set([...properties].map(([name]) => name))].toSorted(),
  );
});

test('custom-elements.json names every attribute that the element reads', () => {
  const read = source('settings.ts').matchAll(/(?:get|has)Attribute\('([\w-]+)'\)/g);
  expect(names(declaration?.attributes)).toEqual(
    [...read, ['', 'theme']].map(([, name = '']) => name).toSorted(),
  );
});
