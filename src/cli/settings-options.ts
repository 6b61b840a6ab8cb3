// Declares the settings of commands: their flags and help, and how they are read when a command runs.
import {
  collect,
  completions,
  formatItems,
  isAddress,
  MISPLACED_ADDRESS,
  pathOf,
} from '@optiongraph/tools/command-line/commands';
import { note } from '@optiongraph/tools/command-line/output';
import { type Command, Option } from 'commander';
import type * as z from 'zod';
import { ConfigError } from '../config/config-error.ts';
import { type Definition, type ReadSettings, readSettings } from '../config/read-settings.ts';
import { describeDefault, plain, type Setting, settingsOf } from '../config/setting.ts';
import type { Environment } from '../config/variables.ts';

/** The variable that names the configuration file. */
export const FILE_VARIABLE = 'OPTIONGRAPH_CONFIG';

/** What the help of each command says of itself. */
export const HELP_FLAGS = ['-h, --help', '-h: shows what is used most; --help: all'] as const;

/** The options and secrets that only the long help has. */
const rareOptions = new WeakMap<Command, readonly Option[]>();

/** Leaves out of the help of a command, and of those within, what is rarely used. */
export function shortenHelp(command: Command): void {
  command.commands.forEach(shortenHelp);
  const rare = rareOptions.get(command) ?? [];
  for (const option of rare) option.hideHelp();
  if (rare.length > 0) command.addHelpText('after', `\n${pathOf(command)} --help shows all settings.`);
}

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
  const rare: Option[] = [];
  for (const setting of settings) {
    if (setting.flag === null) continue;
    const option = optionOf(setting, setting.flag);
    names.set(setting.key, option.attributeName());
    command.addOption(option);
    if (setting.isCommon !== true) rare.push(option);
  }
  if (definition.hasFile !== true) rareOptions.set(command, rare);
  else {
    // The file is the place for them. All on one page would be ten times as long.
    for (const option of rare) option.hideHelp();
    command.helpOption('-h, --help', 'shows what is used most');
    command.addHelpText('after', '\noptiongraph config init prints all settings, as a configuration file.');
  }
  command.addHelpText('after', () => {
    const isShort = rare.some(({ hidden }) => hidden);
    const shown = settings.filter(
      ({ isSecret, isCommon }) => isSecret === true && (isCommon === true || !isShort),
    );
    return describeSecrets(shown, command);
  });
  const read = (): ReadSettings<z.output<T>> => {
    const options: Readonly<Record<string, unknown>> = command.opts();
    const flags = Object.fromEntries([...names].map(([key, name]) => [key, options[name]]));
    const file = definition.hasFile ? (options['config'] ?? (env[FILE_VARIABLE] || null)) : null;
    return readSettings(definition, { flags, env, file: file === null ? null : String(file) });
  };
  command.hook('preAction', () => {
    if (command.args.some(isAddress)) throw new ConfigError(MISPLACED_ADDRESS);
  });
  command.action(() => {
    const first = read();
    for (const warning of first.warnings) note(`optiongraph: ${warning}`);
    return run(first, read);
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
  completions.set(option, setting.values);
  return option;
}

function describeSecrets(secrets: readonly Setting[], command: Command): string {
  if (secrets.length === 0) return '';
  return [
    '\nSecrets (variables only; the same name with _FILE is for the name of a file that holds the secret):',
    formatItems(
      command,
      secrets.map(({ variable, help }) => [variable ?? '', plain(help)]),
    ),
  ].join('\n');
}
