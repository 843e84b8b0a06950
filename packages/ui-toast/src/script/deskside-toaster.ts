/** What `deskside-toaster.js` gives a page without a bundler: the element, and the adapters as `deskside.…`. */
export { agUiStart, readAgUiEvent } from '../adapters/ag-ui.ts';
export { aiSdkStart, readUiMessages } from '../adapters/ai-sdk.ts';
export { readToolResult } from '../adapters/mcp.ts';
export { DesksideToaster } from '../element/index.ts';
