#!/usr/bin/env node
import '../../cold-start/sdk.mjs';
