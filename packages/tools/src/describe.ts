// The commands `describe` and `describe diff`: the actions that the API offers a caller.
import { isDeepStrictEqual } from 'node:util';
import { parse } from 'graphql';
import { closestMatch } from 'leven';
import * as z from 'zod';
import { suggestion } from '../../../src/config/variables.ts';
import type { Action, Description, Parameter } from '../../../src/upstream/description/description.ts';
import { allActions, allResources } from '../../../src/upstream/description/select-actions.ts';
import type { CallerConfig, CallerSettings } from './caller-settings.ts';
import { CommandError, EXIT_CODES, usageError } from './command-line/exit-codes.ts';
import { note } from './command-line/output.ts';
import { withProfile } from './login/use-profile.ts';
import { type OpenApi, openApi } from './open-api.ts';
import { type Format, printRows } from './output/formats.ts';
import { parseJson, readNamed } from './request.ts';
import { connect } from './session/connect.ts';

const parameters = z.record(z.string(), z.string());

/** An action as `describe --format json` prints it. Each parameter has its type, and inputs end with `!` when required. */
const describedAction = z.object({
  action: z.string(),
  method: z.string(),
  path: z.string(),
  auth: z.boolean(),
  blocking: z.boolean(),
  description: z.string(),
  input: parameters,
  output: parameters,
});

type DescribedAction = z.output<typeof describedAction>;

interface Formatted {
  readonly format: Format;
}

/** Lists the actions of a resource and of those below it, or all actions. */
export async function describeApi(
  config: CallerConfig,
  { format }: Formatted,
  resource: string | null,
): Promise<number> {
  await using api = await openApi(config);
  const all = describeActions(api);
  const actions = resource === null ? all : actionsOf(all, resource, api.signInAdvice);
  await printRows(format === 'table' ? actions.map(summarize) : actions, format);
  note(`${actions.length} actions.`);
  return EXIT_CODES.ok;
}

/** Milliseconds that people wait for a completion. */
const COMPLETION_TIME = 3_000;
/** Fits each schema, so that the description of an earlier command can be used. */
const ANY_DOCUMENT = parse('{ __typename }');

/** Lists the paths of the resources that the API describes to everybody, for shell completion. Sends no credential, and renews no session. */
export async function listResources(settings: CallerSettings): Promise<readonly string[]> {
  if (settings.sandbox) {
    await using api = await openApi({ ...settings, as: 'anonymous', signedIn: null });
    return pathsIn(api.served.description);
  }
  const { upstream, ...config } = withProfile(settings);
  const anonymous = { ...config, upstream: { ...upstream, authorization: null } };
  const signal = AbortSignal.timeout(COMPLETION_TIME);
  const { facade } = await connect(anonymous, null, { document: ANY_DOCUMENT, signal });
  const paths = pathsIn(facade.schema.description);
  await facade.close();
  return paths;
}

const pathsIn = ({ resources }: Description): readonly string[] =>
  allResources(resources).map(({ path }) => path.join('.'));

/** Lists what was added, removed and changed since a printed description. */
export async function diffDescription(
  config: CallerConfig,
  { format }: Formatted,
  file: string,
): Promise<number> {
  const before = parseDescribed(file);
  await using api = await openApi(config);
  const after = describeActions(api);
  const changes = compare(before, after);
  await printRows(changes, format);
  const count = (wanted: string): number => changes.filter(({ change }) => change === wanted).length;
  const [added, removed, changed] = ['added', 'removed', 'changed'].map(count);
  note(`${added} added, ${removed} removed and ${changed} changed.`);
  return changes.some(({ change }) => change !== 'added') ? EXIT_CODES.failed : EXIT_CODES.ok;
}

const describeActions = ({ served }: OpenApi): readonly DescribedAction[] =>
  allActions(served.description.resources).map(describeAction);

function describeAction(action: Action): DescribedAction {
  const { scope, method, path, auth, blocking, description, input, output } = action;
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
  const problem = `The API offers this caller no resource ${JSON.stringify(resource)}${suggestion(meant)}`;
  if (signInAdvice === null) throw usageError(problem);
  throw new CommandError(EXIT_CODES.credentials, `${problem}\n${signInAdvice}`);
}

function parseDescribed(file: string): readonly DescribedAction[] {
  const { data } = z.array(describedAction).safeParse(parseJson(readNamed(file), file));
  if (data === undefined)
    throw usageError(`The file ${JSON.stringify(file)} is not the output of describe --format json.`);
  return data;
}

function compare(before: readonly DescribedAction[], after: readonly DescribedAction[]) {
  const old = new Map(before.map((one) => [one.action, one]));
  const now = new Map(after.map((one) => [one.action, one]));
  const row = (change: string, action: string, what = '') => ({ change, action, what });
  return [
    ...before.filter(({ action }) => !now.has(action)).map(({ action }) => row('removed', action)),
    ...after.flatMap((one) => {
      const known = old.get(one.action);
      const what = known === undefined ? '' : differences(known, one).join('; ');
      return what === '' ? [] : [row('changed', one.action, what)];
    }),
    ...after.filter(({ action }) => !old.has(action)).map(({ action }) => row('added', action)),
  ];
}

/** The differences of two states of an action, but for its explanation. */
function differences(old: DescribedAction, now: DescribedAction): readonly string[] {
  const facts = (['method', 'path', 'auth', 'blocking'] as const).flatMap((name) =>
    isDeepStrictEqual(old[name], now[name]) ? [] : [`${name} ${old[name]} → ${now[name]}`],
  );
  const ofParameters = (['input', 'output'] as const).flatMap((side) => {
    const names = new Set([...Object.keys(old[side]), ...Object.keys(now[side])]);
    return [...names].flatMap((name) => {
      const [was = 'none', is = 'none'] = [old[side][name], now[side][name]];
      return was === is ? [] : [`${side} ${name}: ${was} → ${is}`];
    });
  });
  return [...facts, ...ofParameters];
}
