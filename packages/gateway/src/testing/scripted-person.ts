import { defineServer, toolDefiner } from '@deskside/core';
import type {
  Approval,
  ApprovalCall,
  Inbox,
  InboxCaller,
  InboxRequest,
  PopupOutcome,
} from '@deskside/desktop';
import * as z from 'zod';
import { Approvals } from '../approvals/approvals.ts';
import type { NewRule, Rule } from '../approvals/rule-store.ts';
import type { Mount } from '../mounts/mount.ts';
import type { StartTimer } from '../mounts/timer.ts';

/** A question that is open. */
export interface OpenApproval {
  readonly request: InboxRequest;
  readonly id: string | undefined;
  /** Where, and for which record. */
  readonly caller: InboxCaller;
  /** What the window shows now. */
  approval: Approval | undefined;
  isOpen: boolean;
  /** Ids of the calls that it shows now. */
  shown(): readonly string[];
  /** Without ids a decision is about all calls that the window shows. */
  answer(outcome: PopupOutcome): void;
}

const personsDesktop = async () => ({ pid: 1, env: { DISPLAY: ':7' } });

/** Approvals that a test answers. */
export function scriptedPerson(
  options: {
    readonly isReachable?: boolean;
    readonly rules?: Rule[];
    readonly startTimer?: StartTimer;
  } = {},
) {
  const { isReachable = true, rules = [], startTimer } = options;
  const open: OpenApproval[] = [];
  const inbox: Pick<Inbox, 'ask' | 'update'> = {
    ask(request: InboxRequest, caller: InboxCaller) {
      const { signal, item } = caller;
      const { promise, resolve } = Promise.withResolvers<PopupOutcome>();
      const asked: OpenApproval = {
        request,
        caller,
        id: item?.id,
        approval: request.approval,
        isOpen: true,
        shown: () => callsOf(asked).flatMap(({ id }) => id ?? []),
        answer(outcome) {
          const index = open.indexOf(asked);
          if (index >= 0) open.splice(index, 1);
          asked.isOpen = false;
          const isDecision = outcome.kind === 'allowed' || outcome.kind === 'denied';
          resolve(isDecision ? { ids: asked.shown(), ...outcome } : outcome);
        },
      };
      open.push(asked);
      const leave = () => asked.answer({ kind: 'abandoned' });
      signal.addEventListener('abort', leave, { once: true });
      if (signal.aborted) leave();
      return promise;
    },
    update(id, approval) {
      const asked = open.find((each) => each.id === id);
      if (asked !== undefined) asked.approval = approval;
    },
  };
  const approvals = new Approvals({
    person: async () => (isReachable ? { inbox, theme: 'auto', personsDesktop } : undefined),
    rules: {
      find(decided) {
        return rules.find(
          (rule) =>
            rule.definition === decided.definition &&
            (rule.arguments === undefined || rule.arguments === decided.arguments),
        );
      },
      async add(rule: NewRule) {
        const added = { ...rule, id: String(rules.length), created: '' };
        rules.push(added);
        return added;
      },
    },
    levels: { profiles: new Map(), clients: new Map() },
    ...(startTimer && { startTimer }),
  });
  return { approvals, inbox, open, rules, personsDesktop };
}

export function callsOf({ approval }: Pick<OpenApproval, 'approval'>): readonly ApprovalCall[] {
  return approval === undefined ? [] : [approval, ...(approval.others ?? [])];
}

/** A server of another author: `pay` asks by its hints, `read` does not. */
export function payingMount() {
  const ran: string[] = [];
  let version = 1;
  const tool = (
    name: string,
    annotations: { readonly readOnlyHint: boolean; readonly destructiveHint: boolean },
  ) =>
    toolDefiner<null>()({
      name,
      title: name,
      description: 'Of another author',
      annotations: { ...annotations, idempotentHint: false, openWorldHint: true },
      input: z.object({ amount: z.number().optional() }),
      output: z.object({ paid: z.number() }),
      run({ amount = 0 }) {
        ran.push(`${name} ${amount}`);
        return { paid: amount };
      },
    });
  const read = { readOnlyHint: true, destructiveHint: false };
  const pay = { readOnlyHint: false, destructiveHint: true };
  const send = { readOnlyHint: false, destructiveHint: false };
  const hints = { read, pay, send };
  const mount: Mount = {
    id: 'shop',
    definition: defineServer({
      name: 'shop',
      version: '1',
      deps: null,
      tools: [tool('read', read), tool('pay', pay), tool('send', send)],
    }),
    approvals: {
      rules: {},
      toolOf: (name) =>
        name in hints
          ? { name, annotations: hints[name as keyof typeof hints], definition: { name, version } }
          : undefined,
    },
  };
  return {
    mount,
    ran,
    /** The server lists something else, and the person has accepted it. */
    change() {
      version += 1;
    },
  };
}
