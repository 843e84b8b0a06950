import type { StoredTokens, TokenRecord } from '@deskside/core/base';

/** Calls a function of the database. */
type Run = <T>(name: string, args: readonly unknown[]) => Promise<T>;

interface TokenRow extends Required<Omit<TokenRecord, 'used'>> {
  readonly used: string | null;
}

/** The tokens in the database, which all servers of it accept. */
export function postgresTokens(run: Run): StoredTokens {
  async function read(): Promise<readonly TokenRecord[]> {
    const rows = await run<readonly TokenRow[]>('read_tokens', []);
    return rows.map(({ name, user, sha256, created, used }) => {
      return { name, user, sha256, created: toIso(created), used: used === null ? undefined : toIso(used) };
    });
  }

  return {
    read,
    async change(change) {
      for (;;) {
        const known = await read();
        const { tokens, answer } = change(known);
        const digests = known.map(({ sha256 }) => sha256);
        if (await run<boolean>('replace_tokens', [digests, tokens])) return answer;
      }
    },
    async noteUse(sha256) {
      await run('use_token', [sha256]);
    },
  };
}

function toIso(time: string): string {
  return new Date(time).toISOString();
}
