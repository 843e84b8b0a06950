// Appends a migration to src/<dialect>/migrations.ts if schema.ts changed: drizzle-kit compares it with the last snapshot in
// <dialect>/meta. Write into the new entry by hand what drizzle does not know: triggers, WITHOUT ROWID, COLLATE, FORCE ROW LEVEL
// SECURITY. `--name <word>` names it. `--check` writes nothing and fails if schema and snapshot don't agree.
import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { parseArgs } from 'node:util';

const DIALECTS = { sqlite: 'sqlite', postgres: 'postgresql' } as const;
type Dialect = keyof typeof DIALECTS;

const END = '];\n';

const root = join(import.meta.dirname, '..');
const { values: options } = parseArgs({
  options: { check: { type: 'boolean', default: false }, name: { type: 'string', default: 'schema' } },
});

for (const dialect of ['sqlite', 'postgres'] as const) {
  if (options.check) {
    check(dialect);
  } else {
    drizzleKit(dialect, folderOf(dialect), 'inherit');
    appendMigrations(dialect);
  }
}

function folderOf(dialect: Dialect): string {
  return join(import.meta.dirname, dialect);
}

/** The module is the only place of the SQL. */
function appendMigrations(dialect: Dialect): void {
  const module = join(root, 'src', dialect, 'migrations.ts');
  for (const file of sqlFiles(folderOf(dialect))) {
    const path = join(folderOf(dialect), file);
    const sql = embeddable(readFileSync(path, 'utf8'));
    const entry = `  {\n    name: '${file.slice(0, -'.sql'.length)}',\n    sql: \`\n${dialect === 'sqlite' ? strict(sql) : sql}\n\`,\n  },\n`;
    const text = readFileSync(module, 'utf8');
    if (!text.endsWith(END)) throw new Error(`${module} does not end with the list of migrations`);
    writeFileSync(module, `${text.slice(0, -END.length)}${entry}${END}`);
    rmSync(path);
  }
}

function check(dialect: Dialect): void {
  const copy = mkdtempSync(join(tmpdir(), 'deskside-migrations-'));
  try {
    cpSync(folderOf(dialect), copy, { recursive: true });
    // drizzle-kit exits with 0 even if it fails, or would ask about a renamed column.
    const output = drizzleKit(dialect, copy, 'pipe');
    if (output.includes('No schema changes')) return;
    if (sqlFiles(copy).length === 0) throw new Error(`drizzle-kit failed: ${output}`);
    process.stderr.write(`src/${dialect}/schema.ts has no migration: run \`pnpm --filter @deskside/todo migrations\`\n`);
    process.exitCode = 1;
  } finally {
    rmSync(copy, { recursive: true });
  }
}

function sqlFiles(folder: string): readonly string[] {
  return readdirSync(folder)
    .filter((name) => name.endsWith('.sql'))
    .toSorted();
}

/** @returns the output, if it is piped */
function drizzleKit(dialect: Dialect, out: string, stdout: 'inherit' | 'pipe'): string {
  const paths = ['--schema', `src/${dialect}/schema.ts`, '--out', relative(root, out)];
  const command = ['generate', '--dialect', DIALECTS[dialect], ...paths, '--name', options.name];
  const program = join(root, 'node_modules/.bin/drizzle-kit');
  return String(execFileSync(program, command, { cwd: root, stdio: ['inherit', stdout, 'inherit'] }) ?? '');
}

/** drizzle-kit quotes names of SQLite with the character that ends a template literal. */
function embeddable(generated: string): string {
  const sql = generated
    .replaceAll(/--> statement-breakpoint\n?/g, '\n')
    .replaceAll('`', '"')
    .replaceAll(/\n{2,}/g, '\n')
    .trim();
  if (/\\|\$\{/.test(sql)) throw new Error('a migration contains a character that a template literal would change');
  return sql;
}

/** drizzle-kit can't create STRICT tables. */
function strict(plain: string): string {
  const sql = plain.replaceAll(/^(CREATE TABLE .*?\n\))( WITHOUT ROWID)?;/gms, (_, table: string, rowid?: string) =>
    rowid === undefined ? `${table} STRICT;` : `${table} STRICT, WITHOUT ROWID;`,
  );
  const tables = sql.match(/^CREATE TABLE/gm)?.length;
  if (tables !== sql.match(/\) STRICT[;,]/g)?.length) throw new Error('a CREATE TABLE was not made STRICT');
  return sql;
}
