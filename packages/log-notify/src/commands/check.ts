import { type SinkPlan, planOf } from '../configuration/plan.ts';
import { readConfiguration } from '../configuration/read-configuration.ts';
import { nothingConfigured } from '../configuration/schema.ts';
import { defaultPaths } from '../log-notify.ts';
import { describeExamples, describeSink } from '../check/describe.ts';
import { openSink } from '../sinks/open-sink.ts';
import { CommandFailed, type CommandSpec } from './command.ts';
import { filterFlag, sharedFlags } from './flags.ts';

const flags = { filter: filterFlag, ...sharedFlags };

export const check: CommandSpec<typeof flags> = {
  name: 'check',
  operands: '',
  help: `Reads the configuration as the server does and says what is wrong in it and what each sink would do.

It sends nothing. It fails where something is wrong.

  deskside-log-notify check
  deskside-log-notify check --config ./log-notify.toml`,
  flags,
  async run({ config, file, filter }, _operands, { output }) {
    const defaults = defaultPaths();
    const path = config ?? defaults.config;
    const { configuration, problems: found } = readConfiguration(path, config !== undefined);
    const { directives, sinks, problems } = planOf(
      configuration ?? nothingConfigured,
      { filter, file },
      defaults.file,
    );
    const wrong = [...found, ...problems];
    const print = (line: string) => output.write(`${line}\n`);

    print(`Configuration: ${path}`);
    for (const problem of wrong) print(`  wrong: ${problem}`);
    if (wrong.length === 0) print('  nothing is wrong');
    print('');
    print('Sinks:');
    const troubles = new Map(sinks.map((sink) => [sink, trouble(sink)]));
    for (const [sink, why] of troubles) for (const line of describeSink(sink, why)) print(`  ${line}`);
    print('');
    print('What goes where:');
    const working = sinks.filter((sink) => troubles.get(sink) === undefined);
    for (const line of describeExamples(directives, working)) print(`  ${line}`);
    if (wrong.length > 0) throw new CommandFailed('something in the configuration is wrong');
  },
};

function trouble({ target }: SinkPlan): string | undefined {
  return openSink(target).unavailable?.();
}
