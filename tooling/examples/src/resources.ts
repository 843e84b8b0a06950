import { defineServer, type Resource, templateDefiner } from '@deskside/core';

/** Notes by name. */
export type Notes = ReadonlyMap<string, string>;

const uriOf = (name: string) => `notes://notes/${encodeURIComponent(name)}`;

/** A fixed URI. The body is a text, bytes, or several contents. */
const index: Resource<Notes> = {
  uri: 'notes://index',
  name: 'index',
  mimeType: 'text/plain',
  read: (notes) => [...notes].map(([name, body]) => ({ uri: uriOf(name), body })),
};

/** A URI with variables. `list` adds resources to the list. */
const note = templateDefiner<Notes>()({
  uriTemplate: 'notes://notes/{name}',
  name: 'note',
  mimeType: 'text/plain',
  complete: { name: (typed, _given, notes) => [...notes.keys()].filter((name) => name.startsWith(typed)) },
  list: (notes) => [...notes.keys()].map((name) => ({ uri: uriOf(name), name })),
  // Undefined: no such resource.
  read: ({ name }, notes) => notes.get(name),
});

export function notesServer(notes: Notes) {
  return defineServer({
    name: 'notes',
    version: '1.0.0',
    deps: notes,
    resources: [index],
    templates: [note],
  });
}
