import { combineOptions, defineOptions, listenFields, listField, logFields } from '@deskside/core/cli';
import { BUILT_IN_IDS } from './mounts/built-in.ts';

/** Which mounts are opened. */
export const mountOptions = defineOptions('DESKSIDE', {
  mounts: listField().meta({
    placeholder: 'IDS',
    defaultText: 'all',
    description: `Mounts to open, separated by commas: ${BUILT_IN_IDS.join(', ')}. A mount that is named here is not dormant.`,
  }),
  noMounts: listField().meta({
    placeholder: 'IDS',
    description: 'Mounts to leave out, separated by commas.',
  }),
});

export const stdioOptions = combineOptions(mountOptions, defineOptions('DESKSIDE', logFields));
export const httpOptions = combineOptions(
  mountOptions,
  defineOptions('DESKSIDE', { ...listenFields, ...logFields }),
);
export const tokenOptions = defineOptions('DESKSIDE', { token: listenFields.token });
