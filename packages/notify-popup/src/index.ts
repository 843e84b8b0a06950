export { popupOptions, type PopupOptions } from './options.ts';
export { openPopup, type Popup } from './notify-popup.ts';
export { popupServer } from './server.ts';
export { popupTools } from './tools/index.ts';
