export {
  deliver,
  instruct,
  type NotifyHandler,
  NotifyLiquid,
  type TemplateNotification,
} from './notify-liquid.ts';
