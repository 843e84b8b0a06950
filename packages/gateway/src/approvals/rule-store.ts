import { randomBytes } from 'node:crypto';
import { existsSync, writeFileSync } from 'node:fs';
import { systemClock } from '@deskside/core/base';
import { StartError } from '@deskside/core/errors';
import * as z from 'zod';
import { PrivateJson, storedTime } from '../files/private-json.ts';

/** Strict: a field that is not known may limit the rule. */
const rule = z.strictObject({
  id: z.string(),
  word: z.enum(['allow', 'deny']),
  mount: z.string(),
  /** The server's own name. */
  tool: z.string(),
  /** Digest of what was accepted of the tool. Without it the rule counts for every definition: only to deny. */
  definition: z.string().optional(),
  /** Digest: the rule counts for exactly these arguments. */
  arguments: z.string().optional(),
  user: z.string(),
  transport: z.enum(['stdio', 'http']),
  /** The name of the token, or of the attached client. */
  token: z.string().optional(),
  created: storedTime,
});
const content = z.strictObject({ rules: z.array(rule) });

/** A decision of the person that counts until it is removed. */
export type Rule = z.output<typeof rule>;
export type NewRule = Omit<Rule, 'id' | 'created'>;

/** What a rule is compared with. */
export type Decided = Required<Pick<Rule, 'mount' | 'tool' | 'definition' | 'user' | 'transport'>> & {
  /** Their digest. */
  readonly arguments: string;
  readonly token: string | undefined;
};

/** The remembered decisions, in one private file. */
export class RuleStore {
  readonly #file: string;
  readonly #stored: PrivateJson<z.output<typeof content>>;

  constructor(file: string) {
    this.#file = file;
    this.#stored = new PrivateJson(file, content, { rules: [] }, 'The file of rules');
  }

  /** @throws StartError if the file cannot be used or is lost, or if other users can read or change it */
  async list(): Promise<readonly Rule[]> {
    return this.#now();
  }

  /** The rule for a call. A rule that denies counts first. @throws StartError as `list` */
  find(decided: Decided): Rule | undefined {
    const found = this.#now().filter((each) => isFor(each, decided));
    return found.find(({ word }) => word === 'deny') ?? found[0];
  }

  async add(given: NewRule): Promise<Rule> {
    this.#checkNotLost();
    const id = randomBytes(4).toString('hex');
    const added = { ...given, id, created: systemClock.now().toISOString() };
    const answer = await this.#stored.change(({ rules }) => ({
      value: { rules: [...rules, added] },
      answer: added,
    }));
    writeFileSync(this.#marker, '', { mode: 0o600 });
    return answer;
  }

  /** @throws StartError for an id that does not exist */
  async remove(id: string): Promise<Rule> {
    this.#checkNotLost();
    return this.#stored.change(({ rules }) => {
      const removed = rules.find((each) => each.id === id);
      if (removed === undefined) throw new StartError('No rule has this id. Run "deskside rules".');
      return { value: { rules: rules.filter((each) => each !== removed) }, answer: removed };
    });
  }

  /** It says that rules exist: without their file, what they deny is not known, and asks. */
  get #marker(): string {
    return `${this.#file}.known`;
  }

  #now(): readonly Rule[] {
    const { rules } = this.#stored.read();
    // Each call of another server asks, and each look at a file takes some microseconds.
    if (rules.length === 0) this.#checkNotLost();
    return rules;
  }

  #checkNotLost(): void {
    if (!existsSync(this.#marker) || existsSync(this.#file)) return;
    throw new StartError(
      `The file of rules ${this.#file} is missing, and may have denied calls. Restore it, or delete ${this.#marker} to begin without rules.`,
    );
  }
}

function isFor(each: Rule, decided: Decided): boolean {
  const { word, mount, tool, user, transport, token } = each;
  return (
    mount === decided.mount &&
    tool === decided.tool &&
    user === decided.user &&
    transport === decided.transport &&
    token === decided.token &&
    (each.definition === decided.definition || (word === 'deny' && each.definition === undefined)) &&
    (each.arguments === undefined || each.arguments === decided.arguments)
  );
}
