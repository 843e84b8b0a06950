import { agUiStart, readAgUiEvent } from '../src/adapters/ag-ui.ts';
import { aiSdkStart, readUiMessages } from '../src/adapters/ai-sdk.ts';
import { endToasts, readToolResult } from '../src/adapters/mcp.ts';
import { DesksideToaster, getToaster } from '../src/index.ts';

// Entry of `dist/script/deskside-toaster.js`: the element, and the adapters as `deskside.readToolResult` and so on.
// The bundler's own code for a global name takes more bytes.
Object.assign(globalThis, {
  deskside: {
    DesksideToaster,
    agUiStart,
    aiSdkStart,
    endToasts,
    getToaster,
    readAgUiEvent,
    readToolResult,
    readUiMessages,
  },
});
