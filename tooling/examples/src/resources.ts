import {
  defineServer,
  type Resource,
  type ResourceBody,
  type ResourceContent,
  type ResourceListing,
  templateDefiner,
} from '@deskside/core';

/** Notes by name. */
export type Notes = ReadonlyMap<string, string>;

const uriOf = (name: string) => `notes://notes/${encodeURIComponent(name)}`;
const listing = (name: string): ResourceListing => ({ uri: uriOf(name), name, mimeType: 'text/plain' });

/** A fixed URI. The body is a text, bytes, or several contents. */
const index: Resource<Notes> = {
  uri: 'notes://index',
  name: 'index',
  title: 'All notes',
  mimeType: 'text/plain',
  read(notes): ResourceBody {
    const contents: ResourceContent[] = [...notes].map(([name, body]) => ({ uri: uriOf(name), body }));
    return contents;
  },
};

/** `listed: false`: can be read, and is not in the list. */
const icon: Resource<Notes> = {
  uri: 'notes://icon',
  name: 'icon',
  mimeType: 'image/png',
  listed: false,
  read: () => new Uint8Array([0x89, 0x50, 0x4e, 0x47]),
};

/** A URI with variables. */
const note = templateDefiner<Notes>()({
  uriTemplate: 'notes://notes/{name}',
  name: 'note',
  title: 'One note',
  mimeType: 'text/plain',
  complete: { name: (typed, _given, notes) => [...notes.keys()].filter((name) => name.startsWith(typed)) },
  list: (notes) => [...notes.keys()].map(listing),
  // Undefined: no such resource.
  read: ({ name }, notes) => notes.get(name),
});

export function notesServer(notes: Notes) {
  return defineServer({
    name: 'notes',
    version: '1.0.0',
    deps: notes,
    resources: [index, icon],
    templates: [note],
  });
}
