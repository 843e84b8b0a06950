export { logUnusedRules, openManicTime, type ManicTime } from './manictime.ts';
export { type ManicTimeOptions, manictimeOptions, originOf } from './options.ts';
export { manictimePrompts } from './prompts/index.ts';
export { manictimeResources, manictimeTemplates } from './resources/index.ts';
export { manictimeServer } from './server.ts';
export { manictimeTools } from './tools/index.ts';
