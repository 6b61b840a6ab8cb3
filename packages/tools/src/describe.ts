// The command `describe`: the actions that the API offers a caller.
import { closestMatch } from 'leven';
import { openApi } from './client/open-api.ts';
import { CommandError, EXIT_CODES, usageError } from './command-line/exit-codes.ts';
import { note } from './command-line/output.ts';
import { type Action, actionsIn, type Parameter } from './description.ts';
import type { CallerConfig } from './login/use-profile.ts';
import { type Format, printRows } from './output/formats.ts';

type DescribedAction = ReturnType<typeof describeAction>;

/** Lists the actions of a resource and of those below it, or all actions. @returns The exit code. */
export async function describeApi(
  config: CallerConfig,
  { format }: { readonly format: Format },
  resource: string | null,
): Promise<number> {
  await using api = await openApi(config);
  const all = actionsIn(api.served.description).map(describeAction);
  const actions = resource === null ? all : actionsOf(all, resource, api.client.signInAdvice);
  await printRows(format === 'table' ? actions.map(summarize) : actions, format);
  note(`${actions.length} actions.`);
  return EXIT_CODES.ok;
}

/** An action as it is printed. Each parameter has its type, and inputs end with `!` when required. */
function describeAction({ scope, method, path, auth, blocking, description, input, output }: Action) {
  return {
    action: scope,
    method,
    path: path.text,
    auth,
    blocking,
    description: description ?? '',
    input: Object.fromEntries(
      input.parameters.map((one) => [one.name, `${typeOf(one)}${one.required ? '!' : ''}`]),
    ),
    output: Object.fromEntries(output.parameters.map((one) => [one.name, typeOf(one)])),
  };
}

const typeOf = (parameter: Parameter): string =>
  parameter.type === 'Resource' ? parameter.resource.join('.') : parameter.type;

/** The columns for people, without the parameters. */
function summarize({ action, method, path, auth, blocking, description }: DescribedAction) {
  return {
    action,
    method,
    path,
    sign_in: auth ? 'needed' : '',
    runs: blocking ? 'in background' : '',
    description,
  };
}

function actionsOf(
  all: readonly DescribedAction[],
  resource: string,
  signInAdvice: string | null,
): readonly DescribedAction[] {
  const found = all.filter(
    ({ action }) => action.startsWith(`${resource}#`) || action.startsWith(`${resource}.`),
  );
  if (found.length > 0) return found;
  const known = [...new Set(all.map(({ action }) => action.replace(/#.*/, '')))];
  const meant = closestMatch(resource, known, { maxDistance: 3 });
  const suggestion = meant === undefined ? '.' : `; did you mean ${meant}?`;
  const problem = `The API offers this caller no resource ${JSON.stringify(resource)}${suggestion}`;
  if (signInAdvice === null) throw usageError(problem);
  throw new CommandError(EXIT_CODES.credentials, `${problem}\n${signInAdvice}`);
}
