export { NotifyLiquid } from './notify-liquid.ts';
export { deliver, instruct, type SpokenInTemplate, type Speak } from './modes.ts';
