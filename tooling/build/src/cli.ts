#!/usr/bin/env node
import { bundle } from './bundle.ts';

await bundle(process.cwd());
