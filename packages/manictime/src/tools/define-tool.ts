import {
  type Tool,
  type ToolAnnotations,
  toolFromSpec,
  type ToolOutput,
  type ToolSpec,
} from '@deskside/core';
import { UserError } from '@deskside/core/errors';
import type { z } from 'zod';
import type { ManicTime } from '../manictime.ts';

const READ_ONLY: ToolAnnotations = {
  readOnlyHint: true,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: false,
};

/** Defines a tool that logs the causes of its errors. Default: it only reads. */
export function defineManicTimeTool<
  Input extends z.ZodObject,
  Output extends ToolOutput | undefined = undefined,
>(
  spec: Omit<ToolSpec<ManicTime, Input, Output>, 'annotations'> & { readonly annotations?: ToolAnnotations },
): Tool<ManicTime> {
  return toolFromSpec({
    annotations: READ_ONLY,
    ...spec,
    run: async (args, manictime, ctx) => {
      try {
        return await spec.run(args, manictime, ctx);
      } catch (error) {
        if (UserError.is(error) && error.cause !== undefined) ctx.log.warn('call rejected', { error });
        throw error;
      }
    },
  });
}
