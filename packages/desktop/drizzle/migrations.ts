// Appends a migration to src/database/migrations.ts if schema.ts has changed: drizzle-kit compares it with the last
// snapshot in meta. A migration only adds: programs of different versions share the file. `--check` writes nothing and
// fails if schema and snapshot differ.
import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';

const END = '];\n';
const root = join(import.meta.dirname, '..');
const module = join(root, 'src/database/migrations.ts');

if (process.argv.includes('--check')) {
  const copy = mkdtempSync(join(tmpdir(), 'deskside-migrations-'));
  try {
    cpSync(import.meta.dirname, copy, { recursive: true });
    if (generated(copy).length > 0) {
      process.stderr.write('drizzle/schema.ts has no migration: run `pnpm --filter @deskside/desktop migrations`\n');
      process.exitCode = 1;
    }
  } finally {
    rmSync(copy, { recursive: true });
  }
} else {
  for (const file of generated(import.meta.dirname)) {
    const sql = readFileSync(file, 'utf8')
      .replaceAll(/--> statement-breakpoint\n?/g, '\n')
      // drizzle-kit quotes names with the character that ends a template literal.
      .replaceAll('`', '"')
      .replaceAll(/\n{2,}/g, '\n')
      .trim();
    if (/\\|\$\{|^(?:DROP|ALTER TABLE \S+ (?:DROP|RENAME))/m.test(sql))
      throw new Error(`A migration only adds, in plain text: ${sql}`);
    const text = readFileSync(module, 'utf8');
    writeFileSync(module, `${text.slice(0, -END.length)}  \`\n${sql}\n\`,\n${END}`);
    rmSync(file);
  }
}

/** @returns the files that drizzle-kit has written */
function generated(folder: string): readonly string[] {
  const paths = ['--schema', 'drizzle/schema.ts', '--out', relative(root, folder)];
  const program = join(root, 'node_modules/.bin/drizzle-kit');
  const output = String(execFileSync(program, ['generate', '--dialect', 'sqlite', ...paths], { cwd: root }));
  const files = readdirSync(folder).filter((name) => name.endsWith('.sql'));
  // drizzle-kit exits with 0 even if it fails, or would ask about a renamed column.
  if (files.length === 0 && !output.includes('No schema changes')) throw new Error(output);
  return files.map((name) => join(folder, name));
}
