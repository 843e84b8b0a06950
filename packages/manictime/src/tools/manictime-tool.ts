import {
  type RequestContext,
  type Tool,
  ToolError,
  type ToolHints,
  type ToolSpec,
  toolDefiner,
} from '@deskside/core';
import type { z } from 'zod';
import type { ManicTime } from '../manictime.ts';
import { Problem } from '../problem.ts';
import { shown } from './shown.ts';

export const READ_ONLY: ToolHints = {
  readOnlyHint: true,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: false,
};

const define = toolDefiner<ManicTime>();

/** A tool whose problems reach the model in words, and the log with their cause. */
export function defineManicTimeTool<
  Input extends z.ZodObject,
  Output extends z.ZodType | undefined = undefined,
>(spec: ToolSpec<ManicTime, Input, Output>): Tool<ManicTime> {
  const tool = define({
    ...spec,
    run: async (args, manictime, ctx) => {
      try {
        return await spec.run(args, manictime, ctx);
      } catch (error) {
        throw asToolError(error, ctx);
      }
    },
  });
  return { ...tool, call: (args, manictime, ctx) => tool.call(withoutNulls(args), manictime, ctx) };
}

/** The contract's `int?` takes null for not given; hosts that know no optional arguments send it for all. */
function withoutNulls(args: unknown): unknown {
  if (typeof args !== 'object' || args === null) return args;
  return Object.fromEntries(Object.entries(args).filter(([, value]) => value !== null));
}

function asToolError(error: unknown, { log }: RequestContext): unknown {
  if (!(error instanceof Problem)) return error;
  if (error.cause !== undefined) log.warn('call refused', { code: error.text.code, error });
  const { code, hint } = error.text;
  return new ToolError({ error: shown(error.text.error), code, hint });
}
