// Declares the settings of commands: their flags and help, and how they are read when a command runs.
import {
  collect,
  completions,
  formatItems,
  isAddress,
  MISPLACED_ADDRESS,
} from '@optiongraph/tools/command-line/commands';
import { TOOL_VARIABLES } from '@optiongraph/tools/settings';
import { type Command, Option } from 'commander';
import type * as z from 'zod';
import { ConfigError } from '../config/config-error.ts';
import { type Definition, type ReadSettings, readSettings } from '../config/read-settings.ts';
import { conflictsOfServe, serveSettings } from '../config/serve-settings.ts';
import { describeDefault, plain, type Setting, settingsOf } from '../config/setting.ts';
import { type Environment, variablesOf } from '../config/variables.ts';
import { sandboxSettings } from './sandbox/sandbox-settings.ts';

/** The variable that names the configuration file. */
const FILE_VARIABLE = 'OPTIONGRAPH_CONFIG';

/** The variables of all commands. Others with their prefix are errors. */
export const VARIABLES: ReadonlySet<string> = new Set([
  FILE_VARIABLE,
  ...TOOL_VARIABLES,
  ...[serveSettings, sandboxSettings].flatMap((one) => variablesOf(settingsOf(one))),
]);

/** The settings of `serve`. */
export const SERVE = {
  settings: serveSettings,
  hasFile: true,
  conflictsOf: conflictsOfServe,
  variables: VARIABLES,
};
/** The settings of `sandbox`. */
export const SANDBOX = { settings: sandboxSettings, variables: VARIABLES };

/**
 * Adds flags for all settings to a command, and reads the settings when it runs. Where a file may give them, the help has the common ones
 * only, and names the command that prints the file.
 */
export function withSettings<T extends z.ZodObject>(
  command: Command,
  definition: Definition<T>,
  env: Environment,
  run: (read: ReadSettings<z.output<T>>) => void | Promise<void>,
): void {
  const { hasFile = false } = definition;
  const settings = settingsOf(definition.settings);
  if (hasFile) command.option('--config <FILE>', `YAML or JSON file with settings (${FILE_VARIABLE})`);
  const names = new Map<string, string>();
  for (const setting of settings) {
    if (setting.flag === null) continue;
    const option = optionOf(setting, setting.flag).hideHelp(hasFile && setting.isCommon !== true);
    names.set(setting.key, option.attributeName());
    command.addOption(option);
  }
  if (hasFile) {
    const secrets = settings.filter(({ isSecret, isCommon }) => isSecret && isCommon);
    command
      .addHelpText('after', '\noptiongraph config init prints all settings, as a configuration file.')
      .addHelpText('after', () => describeSecrets(secrets, command));
  }
  command.hook('preAction', () => {
    if (command.args.some(isAddress)) throw new ConfigError(MISPLACED_ADDRESS);
  });
  command.action(() => {
    const options: Readonly<Record<string, unknown>> = command.opts();
    const flags = Object.fromEntries([...names].map(([key, name]) => [key, options[name]]));
    const file = hasFile ? (options['config'] ?? (env[FILE_VARIABLE] || null)) : null;
    return run(readSettings(definition, { flags, env, file: file === null ? null : String(file) }));
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

const describeSecrets = (secrets: readonly Setting[], command: Command): string =>
  [
    '\nSecrets (variables only; the same name with _FILE is for the name of a file that holds the secret):',
    formatItems(
      command,
      secrets.map(({ variable, help }) => [variable ?? '', plain(help)]),
    ),
  ].join('\n');
