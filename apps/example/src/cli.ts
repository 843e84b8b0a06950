#!/usr/bin/env node
// First: from here on, everything that is printed by mistake goes to stderr.
import '@deskside/core/stdout';
import { serve } from '@deskside/core/serving';
import { definition, open } from './server.ts';

await serve(definition(open()));
