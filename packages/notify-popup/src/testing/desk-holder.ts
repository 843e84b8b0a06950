/** A process that takes the desk in a folder and keeps it until it is killed. */
import { SharedDesk } from '../desktop/shared-desk.ts';

const [, , folder = ''] = process.argv;
const desk = new SharedDesk(async () => ({ folder, uid: process.getuid?.() }));
desk.onChange = () => {
  if (!desk.isOurs) return;
  desk.onChange = () => undefined;
  desk.offer([]);
  process.send?.('has the desk');
};
const about = { kind: 'question', caller: 'Example host', firstLine: 'Well?', place: 1 } as const;
desk.offer([{ id: 'only', process: desk.process, since: new Date().toISOString(), ...about }]);
