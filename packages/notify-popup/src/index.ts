export { popupOptions, type PopupOptions } from './options.ts';
export { openForPerson, openPopup, type Popup } from './notify-popup.ts';
export { type PersonsSession, personsSession } from './desktop/person.ts';
export { popupServer } from './server.ts';
export { popupTools } from './tools/index.ts';
