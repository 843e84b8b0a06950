#!/usr/bin/env node
// First: from here on, everything that is printed by mistake goes to stderr.
import '@deskside/core/stdout';
import { serve } from '@deskside/core';
import { libraryServer } from './tools.ts';

await serve(libraryServer(new Map([[1, { title: 'Emma', year: 1815 }]])));
