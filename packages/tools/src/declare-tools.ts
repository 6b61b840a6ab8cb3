// Declares the commands that use an API as one caller. What they do is loaded when they run.
import { type Command, InvalidArgumentError, Option, type OptionValues } from 'commander';
import { addCommand, collect } from './command-line/commands.ts';
import { usageError } from './command-line/exit-codes.ts';
import { declareCompletion } from './completion.ts';
import type { DocsOptions } from './docs.ts';
import type { CallerConfig } from './login/use-profile.ts';
import { FORMATS, type Format } from './output/formats.ts';
import { type Environment, readCaller, readLogin, readLogout } from './read-settings.ts';
import { addSettings } from './settings.ts';

/** Does what a command does, and returns its exit code. @param argument Null where it is left out. */
type Run<Options extends OptionValues, Argument> = (
  config: CallerConfig,
  options: Options,
  argument: Argument,
) => Promise<number>;
/** Gives a command the settings of a caller, and loads what it does when it runs. */
type OnRun = <Options extends OptionValues, Argument>(
  command: Command,
  load: () => Promise<Run<Options, Argument>>,
) => void;

/**
 * Adds the commands to the program.
 * @param siteFolder Where the build has written what all documentation sites share.
 */
export function declareTools(program: Command, env: Environment, siteFolder: URL): void {
  const onRun: OnRun = (command, load) => {
    addSettings(command, 'caller');
    command.action(async () => {
      const settings = readCaller(command, env);
      const { withProfile } = await import('./login/use-profile.ts');
      const run = await load();
      process.exitCode = await run(withProfile(settings), command.opts(), command.processedArgs[0] ?? null);
    });
  };
  declareLogin(program, env);
  declareSchema(program, onRun);
  declareDescribe(program, onRun);
  declareQuery(program, onRun);
  declareWatch(program, onRun);
  declareMcp(program, onRun);
  declareExplain(program, onRun);
  declareDoctor(program, onRun);
  declareDocs(program, onRun, siteFolder);
  declareCompletion(program);
}

function declareLogin(program: Command, env: Environment): void {
  const login = addCommand(
    program,
    'login',
    'signs in at an API, and stores the session in a profile for the commands below',
    'optiongraph login --upstream https://api.example.org/ --user admin',
    'optiongraph login --profile work --oauth-client-id my-client --upstream https://api.example.org/',
  );
  addSettings(login, 'login');
  login.action(async () => {
    const settings = readLogin(login, env);
    process.exitCode = await (await import('./login/login.ts')).login(settings);
  });
  const logout = addCommand(
    program,
    'logout',
    'revokes the session of a profile at the API, and deletes the profile',
    'optiongraph logout',
    'optiongraph logout --profile work',
  );
  addSettings(logout, 'logout');
  logout.action(async () => {
    const settings = readLogout(logout, env);
    process.exitCode = await (await import('./login/logout.ts')).logout(settings);
  });
  const auth = program.command('auth').description('shows who commands are, and which sessions are stored');
  const status = addCommand(
    auth,
    'status',
    'lists the profiles, and asks the API who commands are; exits with 4 for an anonymous caller',
    'optiongraph auth status',
    'optiongraph auth status --upstream https://api.example.org/ --format json',
  ).addOption(formatOption('table'));
  addSettings(status, 'caller');
  status.action(async () => {
    const settings = readCaller(status, env);
    const { showStatus } = await import('./login/auth-status.ts');
    process.exitCode = await showStatus(settings, status.opts<{ readonly format: Format }>().format);
  });
}

function declareSchema(program: Command, onRun: OnRun): void {
  const schema = program
    .command('schema')
    .description("prints a caller's GraphQL schema, or compares schemas");
  const print = addCommand(
    schema,
    'print',
    'prints the schema in the schema definition language',
    'optiongraph schema print --upstream https://api.example.org/ > schema.graphql',
    'optiongraph schema print --upstream https://api.example.org/ --federation > subgraph.graphql',
  ).option('--federation', 'prints it as a subgraph of Apollo Federation, for composition', false);
  onRun(print, async () => (await import('./schema.ts')).printDefinitions);
  const json = addCommand(
    schema,
    'json',
    'prints the result of introspection, for code generators',
    'optiongraph schema json --sandbox --as admin > schema.json',
  );
  onRun(json, async () => (await import('./schema.ts')).printIntrospection);
  const diff = addCommand(
    schema,
    'diff',
    'lists breaking, dangerous and safe changes since a printed schema, or to that of another caller; exits with 1 on a breaking one',
    'optiongraph schema diff schema.graphql --upstream https://api.example.org/',
    'optiongraph schema diff --profile admin --with user',
    'optiongraph schema diff schema.graphql --sandbox --operations src --format json',
  )
    .argument('[old]', 'file of `schema print` or `schema json`')
    .option(
      '--with <CALLER>',
      'another caller: `anonymous`, a profile, or one of the sandbox (default: none)',
    )
    .option(
      '--operations <PATH>',
      'lists the operations that break instead, of a file, a folder or a manifest of trusted documents (default: none)',
    )
    .addOption(formatOption('table'));
  onRun(diff, async () => (await import('./schema-diff/schema-diff.ts')).diffSchema);
}

function declareDescribe(program: Command, onRun: OnRun): void {
  const describe = addCommand(
    program,
    'describe',
    'lists the actions that the API offers this caller',
    'optiongraph describe --sandbox dataset',
  )
    .argument('[resource]', 'path of a resource, such as `book` or `shelf.book`')
    .addOption(formatOption('table'));
  onRun(describe, async () => (await import('./describe.ts')).describeApi);
}

function declareQuery(program: Command, onRun: OnRun): void {
  const query = withDocument(
    addCommand(
      program,
      'query',
      'executes a query, a mutation or a subscription, and prints its result',
      "optiongraph query --sandbox '{ datasets(first: 3) { nodes { id name } } }'",
      "optiongraph query --upstream https://api.example.org/ --format table 'query @live { books { nodes { title } } }'",
      "optiongraph query --upstream https://api.example.org/ books.graphql --variable author=7 --select 'books.nodes[].title'",
    ),
  )
    .option('--idempotency-key <KEY>', 'executes a mutation once, at a running Optiongraph')
    .option(
      '--paginate',
      'reads all pages of a list by the variable $endCursor, and prints its rows as they come',
      false,
    )
    .option(
      '--select <EXPRESSION>',
      'prints only this part of the data, by a JMESPath expression such as books.nodes[].title',
    )
    .option('--raw', 'prints texts without quotes, and rows without a head, for pipes', false)
    .addOption(
      new Option(
        '--format <FORMAT>',
        'form of the output (default: json; ndjson with --paginate, for subscriptions, and for live queries unless they are on a terminal)',
      ).choices(FORMATS),
    );
  onRun(query, async () => (await import('./query.ts')).query);
}

function declareWatch(program: Command, onRun: OnRun): void {
  const watch = addCommand(
    program,
    'watch',
    'follows a running action to its end; exits with 1 when it fails, with 5 when it is still running',
    'optiongraph watch 1042 --upstream https://api.example.org/',
    'optiongraph watch 1042 --for 60 --format ndjson --upstream https://api.example.org/',
  )
    .argument('<action>', 'id of the action state')
    .option('--for <SECONDS>', 'stops watching after this time', seconds)
    .addOption(formatOption('json'));
  onRun(watch, async () => (await import('./watch.ts')).watch);
}

function declareMcp(program: Command, onRun: OnRun): void {
  const mcp = addCommand(
    program,
    'mcp',
    'serves an agent over standard input and output, by the Model Context Protocol',
    'optiongraph mcp --profile work',
    'optiongraph mcp --sandbox --read-only',
  )
    .option('--read-only', 'leaves out the tool that writes', false)
    .option(
      '--answer-tokens <N>',
      'estimated tokens of an answer, above which lists are cut (default: 4000)',
      tokens,
    );
  onRun(mcp, async () => (await import('./mcp.ts')).serveAgent);
}

function declareExplain(program: Command, onRun: OnRun): void {
  const explain = withDocument(
    addCommand(
      program,
      'explain',
      'executes a query, and lists the calls to the API that it has made, with its estimated cost',
      "optiongraph explain --sandbox '{ datasets { nodes { name user { login } } } }'",
    ),
  )
    .option('--estimate', 'only estimates, and executes nothing; always so for mutations', false)
    .addOption(formatOption('table'));
  onRun(explain, async () => (await import('./explain.ts')).explainQuery);
}

function declareDoctor(program: Command, onRun: OnRun): void {
  const doctor = addCommand(
    program,
    'doctor',
    'checks how well an API can be served to this caller; reads its lists, and writes nothing',
    'optiongraph doctor --upstream https://api.example.org/',
  ).addOption(formatOption('table'));
  onRun(doctor, async () => (await import('./doctor/doctor.ts')).examine);
}

function declareDocs(program: Command, onRun: OnRun, siteFolder: URL): void {
  const docs = addCommand(
    program,
    'docs',
    "writes a static site about the caller's schema, with examples and a guide",
    'optiongraph docs --upstream https://api.example.org/ --out site',
    'optiongraph docs --sandbox --as admin --out site --server http://127.0.0.1:4000/graphql',
  )
    .requiredOption('--out <FOLDER>', 'folder of the site; an earlier site there is replaced')
    .option('--title <TEXT>', "title of the site (default: the API's host name)")
    .option(
      '--server <URL>',
      'address of a GraphQL server, to whose explorer the examples lead',
      serverAddress,
    );
  onRun<DocsOptions, null>(docs, async () => {
    const { writeDocs } = await import('./docs.ts');
    return (config, options) => writeDocs(config, options, siteFolder);
  });
}

/** Adds what commands share that take a document. */
const withDocument = (command: Command): Command =>
  command
    .argument('<document>', 'a GraphQL document, the name of its file, or - for standard input')
    .option('--variables <JSON>', 'variables as a JSON object, or the name of its file')
    .option(
      '--variable <NAME=VALUE>',
      'one variable, whose value is JSON or else a text; can be repeated',
      collect,
    )
    .option('--operation <NAME>', 'the operation to execute, where the document has several');

const formatOption = (format: Format): Option =>
  new Option('--format <FORMAT>', 'form of the output').choices(FORMATS).default(format);

function seconds(given: string): number {
  const value = Number(given);
  if (!(value > 0) || value > 86_400)
    throw new InvalidArgumentError('It must be a number of seconds, at most 86400.');
  return value;
}

function tokens(given: string): number {
  const value = Number(given);
  if (!Number.isInteger(value) || value < 200 || value > 100_000)
    throw new InvalidArgumentError('It must be a number from 200 to 100000.');
  return value;
}

/** The message does not repeat the value, because an address may contain a credential. */
function serverAddress(given: string): URL {
  const address = URL.canParse(given) ? new URL(given) : null;
  const isHttp = address !== null && /^https?:$/.test(address.protocol);
  if (!isHttp || address.username !== '' || address.password !== '')
    throw usageError('--server must be an http or https address without credentials.');
  return address;
}
