// Declares the settings of a command: its flags and help, and how they are read when it runs.
import { collect, completions, isAddress, MISPLACED_ADDRESS } from '@optiongraph/tools/command-line/commands';
import { type Command, Option } from 'commander';
import type * as z from 'zod';
import { ConfigError } from '../config/config-file.ts';
import type { Environment, Sources } from '../config/read-settings.ts';
import { describeDefault, plain, type Setting, settingsOf } from '../config/setting.ts';

/** The variable that names the configuration file. */
export const FILE_VARIABLE = 'OPTIONGRAPH_CONFIG';

/**
 * Adds flags for settings to a command, and runs it with what gives them. With a configuration file, the help has the common ones only, and
 * names the command that prints the file.
 */
export function withSettings(
  command: Command,
  definition: z.ZodObject,
  hasFile: boolean,
  env: Environment,
  run: (sources: Sources) => void | Promise<void>,
): void {
  const settings = settingsOf(definition);
  if (hasFile) {
    const secrets = settings.flatMap(({ isSecret, isCommon, variable }) =>
      isSecret && isCommon ? [variable] : [],
    );
    command
      .option('--config <FILE>', `YAML or JSON file with settings (${FILE_VARIABLE})`)
      .addHelpText('after', '\noptiongraph config print prints all settings, as a configuration file.')
      .addHelpText(
        'after',
        `\nSecrets are variables only; with _FILE at its end, one names a file that holds it: ${secrets.join(', ')}.`,
      );
  }
  const names = new Map<string, string>();
  for (const setting of settings) {
    if (setting.flag === null) continue;
    const option = optionOf(setting, setting.flag).hideHelp(hasFile && setting.isCommon !== true);
    names.set(setting.key, option.attributeName());
    command.addOption(option);
  }
  command.hook('preAction', () => {
    if (command.args.some(isAddress)) throw new ConfigError(MISPLACED_ADDRESS);
  });
  command.action(() => {
    const options: Readonly<Record<string, unknown>> = command.opts();
    const flags = Object.fromEntries([...names].map(([key, name]) => [key, options[name]]));
    const file = hasFile ? (options['config'] ?? (env[FILE_VARIABLE] || null)) : null;
    return run({ flags, env, file: file === null ? null : String(file) });
  });
}

function optionOf(setting: Setting, flag: string): Option {
  const variable = setting.variable === null ? '' : `${setting.variable}; `;
  const option = new Option(
    flag.replace(/ (.+)/, ' <$1>'),
    `${plain(setting.help)} (${variable}default: ${plain(describeDefault(setting))})`,
  );
  if (setting.title !== null) option.helpGroup(`${setting.title}:`);
  if (setting.type === 'array') option.argParser(collect);
  completions.set(option, () => setting.words);
  return option;
}
