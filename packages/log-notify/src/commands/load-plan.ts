import { readConfiguration } from '../config/config-file.ts';
import { emptyConfiguration } from '../config/parse-config.ts';
import { buildPlan, servicesFrom } from '../config/plan.ts';
import { type LogNotifyOptions, pathsFor } from '../options.ts';

/** Reads the configuration as the server does. @returns with the problems of the file, the filter and the flags */
export function loadPlan(options: LogNotifyOptions) {
  const { config, filter, file, history } = options;
  const defaults = pathsFor(options);
  const path = config ?? defaults.config;
  const { configuration = emptyConfiguration(), problems } = readConfiguration(path, config !== undefined);
  const fromEnvironment = servicesFrom(options);
  const overrides = { filter, file, history, services: fromEnvironment.services };
  const plan = buildPlan(configuration, overrides, defaults.file);
  return { path, plan, problems: [...problems, ...fromEnvironment.problems, ...plan.problems] };
}
