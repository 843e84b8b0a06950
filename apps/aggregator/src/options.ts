import { defineOptions, listenFields, logFields } from '@deskside/core/cli';

export const stdioOptions = defineOptions('DESKSIDE', logFields);

export const httpOptions = defineOptions('DESKSIDE', { ...listenFields, ...logFields });

export const tokenOptions = defineOptions('DESKSIDE', { token: listenFields.token });
