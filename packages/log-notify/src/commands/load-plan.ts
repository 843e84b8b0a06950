import { readConfiguration } from '../config/config-file.ts';
import { emptyConfiguration } from '../config/parse-config.ts';
import { buildPlan, type Plan, servicesFrom } from '../config/plan.ts';
import { type LogNotifyOptions, pathsFor } from '../options.ts';

export interface LoadedPlan {
  /** Path of the configuration file. */
  readonly path: string;
  readonly plan: Plan;
  /** Problems of the file, the filter and the flags. */
  readonly problems: readonly string[];
}

/** Reads the configuration as the server does. */
export function loadPlan(options: LogNotifyOptions): LoadedPlan {
  const { config, filter, file, history } = options;
  const defaults = pathsFor(options);
  const path = config ?? defaults.config;
  const { configuration = emptyConfiguration(), problems } = readConfiguration(path, config !== undefined);
  const fromEnvironment = servicesFrom(options);
  const overrides = { filter, file, history, services: fromEnvironment.services };
  const plan = buildPlan(configuration, overrides, defaults.file);
  return { path, plan, problems: [...problems, ...fromEnvironment.problems, ...plan.problems] };
}
