// Gives commands the flags and the help of their settings, and reads the settings when a command runs.
import { type Command, type Help, Option } from 'commander';
import type { z } from 'zod';
import { type Definition, type ReadSettings, readSettings } from '../config/read-settings.ts';
import { describeDefault, plain, type Setting, settingsOf } from '../config/setting.ts';
import type { Environment } from '../config/variables.ts';
import { FILE_VARIABLE } from './definitions.ts';

/** Columns of the help. */
export const HELP_WIDTH = 110;

/** Adds flags for all settings to a command, and reads the settings when it runs. */
export function withSettings<T extends z.ZodObject>(
  command: Command,
  definition: Definition<T>,
  env: Environment,
  run: (read: ReadSettings<z.output<T>>, readAgain: () => ReadSettings<z.output<T>>) => void | Promise<void>,
): void {
  const settings = settingsOf(definition.settings);
  if (definition.hasFile)
    command.option('--config <FILE>', `YAML or JSON file with settings (${FILE_VARIABLE})`);
  const names = new Map<string, string>();
  for (const setting of settings) {
    if (setting.flag === undefined) continue;
    const option = optionOf(setting, setting.flag);
    names.set(setting.key, option.attributeName());
    command.addOption(option);
  }
  command.addHelpText('after', () => describeSecrets(settings, command.createHelp()));
  command.action(() => {
    const options: Readonly<Record<string, unknown>> = command.opts();
    const flags = Object.fromEntries([...names].map(([key, name]) => [key, options[name]]));
    const file = definition.hasFile ? (options['config'] ?? (env[FILE_VARIABLE] || null)) : null;
    const read = (): ReadSettings<z.output<T>> =>
      readSettings(definition, { flags, env, file: file === null ? null : String(file) });
    return run(read(), read);
  });
}

/** Parses an option that can be repeated. */
export const collect = (given: string, others: readonly string[] = []): readonly string[] => [
  ...others,
  given,
];

function optionOf(setting: Setting, flag: string): Option {
  const variable = setting.variable === null ? '' : `${setting.variable}; `;
  const option = new Option(
    flag.replace(/ (.+)/, ' <$1>'),
    `${plain(setting.help)} (${variable}default: ${plain(describeDefault(setting))})`,
  );
  if (setting.title !== null) option.helpGroup(`${setting.title}:`);
  if (setting.type === 'array') option.argParser(collect);
  return option;
}

function describeSecrets(settings: readonly Setting[], help: Help): string {
  const secrets = settings.filter(({ isSecret }) => isSecret);
  if (secrets.length === 0) return '';
  help.prepareContext({ helpWidth: HELP_WIDTH });
  const width = Math.max(...secrets.map(({ variable }) => variable?.length ?? 0));
  return [
    '\nSecrets (variables only; the same name with _FILE is for the name of a file that holds the secret):',
    ...secrets.map((one) => help.formatItem(one.variable ?? '', width, plain(one.help), help)),
  ].join('\n');
}
