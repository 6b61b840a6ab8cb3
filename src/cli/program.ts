// Declares the commands of the program, with their flags and help.
import { Command, CommanderError, type Help, Option } from 'commander';
import { closestMatch } from 'leven';
import type { z } from 'zod';
import { ConfigError } from '../config/config-error.ts';
import { printSettings } from '../config/print-settings.ts';
import { type Definition, type ReadSettings, readSettings, variablesOf } from '../config/read-settings.ts';
import { conflictsOfServe, type ServeConfig, serveSettings } from '../config/serve-settings.ts';
import { describeDefault, plain, type Setting, settingsOf } from '../config/setting.ts';
import { type Environment, suggestion } from '../config/variables.ts';
import { type SandboxConfig, sandboxSettings } from './sandbox-settings.ts';

/** What the commands do. */
export interface Commands {
  /** @param readAgain Reads the settings as they are now. Throws ConfigError when they are invalid. */
  serve(config: ServeConfig, readAgain: () => ServeConfig): Promise<void>;
  sandbox(config: SandboxConfig): Promise<void>;
  print(text: string): void;
}

const EXIT_CODES = `
Exit codes: 0 success, 1 failure, 2 invalid settings, 3 port in use, 4 upstream host not found, 5 no HaveAPI server,
6 unknown API version.`;

/** Names the configuration file. */
const FILE_VARIABLE = 'OPTIONGRAPH_CONFIG';
/** Columns of the help. */
const WIDTH = 110;

const variables = new Set([
  FILE_VARIABLE,
  ...variablesOf(settingsOf(serveSettings)),
  ...variablesOf(settingsOf(sandboxSettings)),
]);
const SERVE = { settings: serveSettings, hasFile: true, conflictsOf: conflictsOfServe, variables };
const SANDBOX = { settings: sandboxSettings, hasFile: false, conflictsOf: () => [], variables };

/**
 * Runs the command that the arguments name, `serve` without one.
 * @throws ConfigError when arguments or settings are invalid.
 */
export async function runProgram(
  argv: readonly string[],
  env: Environment,
  version: string,
  commands: Commands,
): Promise<void> {
  const program = new Command('optiongraph')
    .description('Serves a self-describing HaveAPI management API as GraphQL.')
    .version(version, '--version', 'prints the version')
    .addHelpText('after', EXIT_CODES)
    .exitOverride()
    .configureOutput({
      writeOut: (text) => commands.print(text.trimEnd()),
      writeErr: () => {},
      getOutHelpWidth: () => WIDTH,
    });
  const serve = program
    .command('serve', { isDefault: true })
    .description('serves GraphQL at /graphql, and GraphiQL there for browsers (the default command)')
    .allowExcessArguments()
    .hook('preAction', ({ args: [word] }) => {
      if (word !== undefined) throw unexpected(word, argv[0] === 'serve');
    });
  withSettings(serve, SERVE, env, ({ config }, readAgain) =>
    commands.serve(config, () => readAgain().config),
  );
  const sandbox = program
    .command('sandbox')
    .description("serves only the sandbox's REST API and its snippet service");
  withSettings(sandbox, SANDBOX, env, ({ config }) => commands.sandbox(config));
  const config = program.command('config').description('examines the settings of serve');
  const check = config.command('check').description('checks the settings and starts nothing');
  withSettings(check, SERVE, env, () => commands.print('The settings are valid.'));
  const print = config.command('print').description('prints each setting and its source, without secrets');
  withSettings(print, SERVE, env, ({ given }) =>
    commands.print(printSettings(settingsOf(serveSettings), given).trimEnd()),
  );
  try {
    await program.parseAsync(argv, { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    if (error.exitCode !== 0) throw new ConfigError(explainUsage(error));
  }
}

/** Adds flags for all settings to a command, and reads the settings when it runs. */
function withSettings<T extends z.ZodObject>(
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
  command.action((options: Readonly<Record<string, unknown>>) => {
    const flags = Object.fromEntries([...names].map(([key, name]) => [key, options[name]]));
    const file = definition.hasFile ? (options['config'] ?? (env[FILE_VARIABLE] || null)) : null;
    const read = (): ReadSettings<z.output<T>> =>
      readSettings(definition, { flags, env, file: file === null ? null : String(file) });
    return run(read(), read);
  });
}

function optionOf(setting: Setting, flag: string): Option {
  const variable = setting.variable === null ? '' : `${setting.variable}; `;
  const option = new Option(
    flag.replace(/ (.+)/, ' <$1>'),
    `${plain(setting.help)} (${variable}default: ${plain(describeDefault(setting))})`,
  );
  if (setting.title !== null) option.helpGroup(`${setting.title}:`);
  if (setting.type === 'array')
    option.argParser((given, others: readonly string[] = []) => [...others, given]);
  return option;
}

function describeSecrets(settings: readonly Setting[], help: Help): string {
  const secrets = settings.filter(({ isSecret }) => isSecret);
  if (secrets.length === 0) return '';
  help.prepareContext({ helpWidth: WIDTH });
  const width = Math.max(...secrets.map(({ variable }) => variable?.length ?? 0));
  return [
    '\nSecrets (variables only; the same name with _FILE is for the name of a file that holds the secret):',
    ...secrets.map((one) => help.formatItem(one.variable ?? '', width, plain(one.help), help)),
  ].join('\n');
}

function unexpected(word: string, isAfterCommand: boolean): ConfigError {
  // Checked first, because the other messages repeat the word, and an address may contain a credential.
  if (word.includes('://')) return new ConfigError('Give the address of the upstream as --upstream URL.');
  if (isAfterCommand) return new ConfigError(`Unexpected argument ${JSON.stringify(word)}.`);
  const meant = closestMatch(word, ['serve', 'sandbox', 'config'], { maxDistance: 3 });
  return new ConfigError(`There is no command ${JSON.stringify(word)}${suggestion(meant)}`);
}

/** Rewrites a message of the library, without the values that follow unknown flags or commands. */
function explainUsage({ code, message }: CommanderError): string {
  if (code === 'commander.help') return 'Name a command: config check or config print.';
  if (message.includes('://'))
    return 'An address is where no address belongs. Give the upstream as --upstream URL.';
  return message.replace(/^error: /, '').replace(/=.*'/s, "'");
}
