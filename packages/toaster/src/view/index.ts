import page from '#dist/page.json' with { type: 'json' };

/** The MCP App view of one notification: an HTML file that fetches nothing, for the resource of a tool. */
export const toastPage: string = page.toast;
