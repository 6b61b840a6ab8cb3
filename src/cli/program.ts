// Declares the commands of the program, with their flags and help.
import {
  addCommand,
  examplesText,
  helpWidth,
  MISPLACED_ADDRESS,
  pathOf,
} from '@optiongraph/tools/command-line/commands';
import { EXIT_CODE_MEANINGS, EXIT_CODES } from '@optiongraph/tools/command-line/exit-codes';
import { note } from '@optiongraph/tools/command-line/output';
import { declareTools } from '@optiongraph/tools/declare-tools';
import { TOOL_VARIABLES } from '@optiongraph/tools/settings';
import { Command, CommanderError } from 'commander';
import { closestMatch } from 'leven';
import { ConfigError, printSettings } from '../config/config-file.ts';
import {
  checkVariables,
  type Environment,
  readSettings,
  suggestion,
  variablesOf,
} from '../config/read-settings.ts';
import { conflictsOfServe, type ServeConfig, serveSettings } from '../config/serve-settings.ts';
import { settingsOf } from '../config/setting.ts';
import { type SandboxConfig, sandboxSettings } from './sandbox/sandbox-settings.ts';
import { FILE_VARIABLE, withSettings } from './settings-options.ts';

/** Where the build writes what all documentation sites share. The same path from `src/cli` and from the bundle in `dist/cli`. */
const SITE_FOLDER = new URL('../../dist/site/files/', import.meta.url);

/** The variables of all commands. Others with their prefix are errors. */
const VARIABLES: ReadonlySet<string> = new Set([
  FILE_VARIABLE,
  ...TOOL_VARIABLES,
  ...[serveSettings, sandboxSettings].flatMap((one) => variablesOf(settingsOf(one))),
]);

/** What the commands do that serve. */
export interface Commands {
  serve(config: ServeConfig): Promise<void>;
  sandbox(config: SandboxConfig): Promise<void>;
  print(text: string): void;
}

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
  const exitCodes = Object.entries(EXIT_CODE_MEANINGS).map(
    ([name, meaning]) => `\n  ${EXIT_CODES[name as keyof typeof EXIT_CODES]} ${meaning}`,
  );
  const program = new Command('optiongraph')
    .description('Serves a self-describing HaveAPI management API as GraphQL.')
    .version(version, '--version', 'prints the version')
    .addHelpText('after', `\nExit codes:${exitCodes.join('')}`)
    // The flags of `describe` and `describe diff` have the same names.
    .enablePositionalOptions()
    .exitOverride()
    .configureOutput({
      writeOut: (text) => commands.print(text.trimEnd()),
      writeErr: () => {},
      getOutHelpWidth: helpWidth,
    })
    .hook('preAction', (_program, command) => {
      if (command.name() !== 'complete') checkVariables(env, VARIABLES);
    });
  declareServe(program, argv, env, commands);
  const sandbox = addCommand(
    program,
    'sandbox',
    "serves only the sandbox's REST API and its snippet service",
    'optiongraph sandbox --port 8080',
  );
  withSettings(sandbox, sandboxSettings, false, env, (sources) =>
    commands.sandbox(readSettings(sandboxSettings, sources).config),
  );
  declareConfig(program, env, commands);
  declareTools(program, env, SITE_FOLDER);
  try {
    await program.parseAsync(argv, { from: 'user' });
  } catch (error) {
    if (error instanceof CommanderError && error.exitCode === 0) return;
    const problem =
      error instanceof CommanderError ? new ConfigError(explainUsage(error, program, argv)) : error;
    if (problem instanceof ConfigError) problem.command = pathOf(findCommand(program, argv));
    throw problem;
  }
}

function declareServe(
  program: Command,
  argv: readonly string[],
  env: Environment,
  { serve: run }: Commands,
): void {
  const serve = program
    .command('serve', { isDefault: true })
    .description('serves GraphQL at /graphql, and GraphiQL there for browsers (the default command)')
    .addHelpText(
      'after',
      examplesText([
        'optiongraph serve --upstream https://api.example.org/',
        'optiongraph serve --sandbox --port 4000',
      ]),
    )
    .allowExcessArguments()
    .hook('preAction', ({ args: [word] }) => {
      if (word !== undefined) throw unexpected(word, argv[0] === 'serve', namesIn(program));
    });
  withSettings(serve, serveSettings, true, env, (sources) =>
    run(readSettings(serveSettings, sources, conflictsOfServe).config),
  );
}

function declareConfig(program: Command, env: Environment, commands: Commands): void {
  const config = program.command('config').description('examines the settings of serve');
  const check = addCommand(
    config,
    'check',
    'checks the settings and starts nothing',
    'optiongraph config check --config optiongraph.yaml',
  );
  withSettings(check, serveSettings, true, env, (sources) => {
    readSettings(serveSettings, sources, conflictsOfServe);
    commands.print('The settings are valid.');
  });
  const print = addCommand(
    config,
    'print',
    'prints all settings with their meanings, defaults and sources, without secrets: a configuration file',
    'optiongraph config print --upstream https://api.example.org/ > optiongraph.yaml',
  );
  withSettings(print, serveSettings, true, env, (sources) => {
    const { config: found, given } = readSettings(serveSettings, sources);
    commands.print(printSettings(settingsOf(serveSettings), given));
    // What is not complete can be printed, and what is missing is said beside it.
    for (const problem of conflictsOfServe(found)) note(`optiongraph: ${problem}`);
  });
}

/** The command that arguments name; `serve` where they name none. */
function findCommand(program: Command, argv: readonly string[]): Command {
  const [first = '-'] = argv;
  const words = first.startsWith('-') || first.includes('://') ? ['serve'] : argv;
  let command = program;
  for (const word of words) {
    const inner = command.commands.find((one) => one.name() === word);
    if (inner === undefined) break;
    command = inner;
  }
  return command;
}

const namesIn = (group: Command): readonly string[] => group.commands.map((command) => command.name());

function unexpected(word: string, isAfterCommand: boolean, names: readonly string[]): ConfigError {
  // Checked first, because the other messages repeat the word, and an address may contain a credential.
  if (word.includes('://')) return new ConfigError(MISPLACED_ADDRESS);
  if (isAfterCommand) return new ConfigError(`Unexpected argument ${JSON.stringify(word)}.`);
  // More would suggest a word that has hardly a letter in common.
  const meant = closestMatch(word, [...names], { maxDistance: Math.max(1, Math.floor(word.length / 3)) });
  return new ConfigError(`There is no command ${JSON.stringify(word)}${suggestion(meant)}`);
}

/** Rewrites a message of the library, without the values that follow unknown flags or commands. */
function explainUsage({ code, message }: CommanderError, program: Command, argv: readonly string[]): string {
  const group = findCommand(program, argv);
  const isOnlyGroup = group.commands.length > 0 && group.options.length === 0;
  if (code === 'commander.help' || (code === 'commander.unknownOption' && isOnlyGroup)) {
    const asked = argv[argv.indexOf('help') + 1];
    if (argv.includes('help') && asked !== undefined) return unexpected(asked, false, namesIn(group)).message;
    return `Name a command: ${namesIn(group)
      .map((inner) => `${group.name()} ${inner}`)
      .join(' or ')}.`;
  }
  if (message.includes('://')) return MISPLACED_ADDRESS;
  return message.replace(/^error: /, '').replace(/=.*'/s, "'");
}
