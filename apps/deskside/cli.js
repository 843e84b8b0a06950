#!/usr/bin/env node
// By its path: a program is no entry that other packages may import.
const manifest = import.meta.resolve('@deskside/aggregator/package.json');
await import(new URL('dist/bin/cli.js', manifest).href);
