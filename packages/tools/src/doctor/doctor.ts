// The command `doctor`: checks how well an API can be served to a caller.
import { builtInOverrides, rowTypeOf } from '../../../../src/index.ts';
import { type OpenApi, openApi, readOverrides, type ServedSchema } from '../client/open-api.ts';
import { describeFindings } from '../command-line/describe-findings.ts';
import { EXIT_CODES } from '../command-line/exit-codes.ts';
import { clean, note, write } from '../command-line/output.ts';
import { actionsIn, resourcesIn } from '../description.ts';
import type { CallerConfig } from '../login/use-profile.ts';
import { type Format, printRows } from '../output/formats.ts';
import { ProgressLine } from '../output/progress.ts';
import { isObject } from '../output/values.ts';
import { checkLists } from './check-lists.ts';
import type { CheckResult } from './observation.ts';

/** Overrides that settle findings about the description, by the code of the finding. */
const REMEDIES: Readonly<Record<string, string>> = {
  TYPE_NAME_CLASH: 'names',
  RESOURCE_NAME_CLASH: 'names',
  READ_NOT_PLACED: 'queries',
  ENUM_VALUES_CLASH: 'enumValues',
};

/** How long the state of an action is asked for again while the API fails. Milliseconds. */
const RETRY_TIME = 2_000;

/** Examines the API, and prints what is found. An API that cannot be reached ends the command. @returns The exit code. */
export async function examine(
  config: CallerConfig,
  { format }: { readonly format: Format },
): Promise<number> {
  await using api = await openApi(config, { watch: { retryDeadline: RETRY_TIME } });
  const { served } = api;
  const progress = new ProgressLine('lists');
  const results: readonly CheckResult[] = [
    ok('reach', `${config.url ?? 'the sandbox'} answers as a HaveAPI server`),
    ok('version', describeVersion(config, served)),
    ok('sign-in', describeMethods(served.description.authentication)),
    await checkCaller(api),
    ok('size', describeSize(served)),
    ...checkDescription(served),
    await probeActions(api),
    ...(await progress.during(
      checkLists(api, readOverrides(config.overrides) ?? builtInOverrides(served.description), progress.show),
    )),
    ...describeWrites(served),
  ];
  if (format === 'table') await write(results.map(layOut).join('\n'));
  else await printRows(results, format);
  const findings = results.filter(({ result }) => result === 'finding').length;
  note(findings === 0 ? 'No findings.' : `${findings} findings.`);
  return findings === 0 ? EXIT_CODES.ok : EXIT_CODES.failed;
}

/** A result for people: what was checked and how it is, and in further lines what was seen and what to do. */
const layOut = ({ check, result, detail, where, example, remedy }: CheckResult): string =>
  [
    `${result.padEnd(7)}  ${check}: ${where === undefined ? '' : `${where}: `}${detail}`,
    ...(example === undefined ? [] : [`example: ${example}`]),
    ...(remedy === undefined ? [] : [`remedy: ${remedy}`]),
  ]
    .map(clean)
    .join('\n         ');

const ok = (check: string, detail: string): CheckResult => ({ check, result: 'ok', detail });

function describeVersion({ version }: CallerConfig, { description }: ServedSchema): string {
  const [action] = actionsIn(description);
  return `${version ?? "the API's default"}, with paths such as ${action?.path.text ?? 'none'}`;
}

function describeMethods({ basic, token, oauth2 }: ServedSchema['description']['authentication']): string {
  const ways = [
    ...(basic ? ['password (HTTP basic)'] : []),
    ...(token === null ? [] : [`token in ${token.httpHeader}`]),
    ...(oauth2 === null
      ? []
      : [`OAuth 2.0${oauth2.endpoints === null ? ' without described addresses' : ''}`]),
  ];
  return ways.join(', ') || 'none is described';
}

async function checkCaller({ client }: OpenApi): Promise<CheckResult> {
  if (client.signInAdvice !== null)
    return ok('caller', `anonymous, so only what everybody may use is checked. ${client.signInAdvice}`);
  const { data } = await client.ask({ query: '{ session { authenticated method } }' });
  const { authenticated, method } = Object(data?.['session']);
  return ok('caller', authenticated === true ? `signed in (${String(method).toLowerCase()})` : 'anonymous');
}

function describeSize({ description, schema }: ServedSchema): string {
  const resources = resourcesIn(description);
  const actions = actionsIn(description);
  const types = Object.keys(schema.getTypeMap()).filter((name) => !name.startsWith('__'));
  return `${resources.length} resources with ${actions.length} actions become ${types.length} types`;
}

/** Says how many actions were left alone. */
function describeWrites({ description }: ServedSchema): readonly CheckResult[] {
  const count = actionsIn(description).filter(({ method }) => method !== 'GET').length;
  const detail = `${count} actions whose method is not GET, because they may write`;
  return count === 0 ? [] : [{ check: 'writes', result: 'untried', detail }];
}

function checkDescription({ findings }: ServedSchema): readonly CheckResult[] {
  if (findings.length === 0) return [ok('description', 'everything in it is served')];
  return describeFindings(findings).map((line) => {
    const remedy = REMEDIES[line.split(':')[0] ?? ''];
    const detail = remedy === undefined ? line : `${line}. The override "${remedy}" settles it.`;
    return { check: 'description', result: 'finding', detail };
  });
}

/** Watches an action that is running already, to see whether the API reports its progress. Nothing is started. */
async function probeActions(api: OpenApi): Promise<CheckResult> {
  const check = 'running actions';
  const { schema, description } = api.served;
  if (schema.getSubscriptionType()?.getFields()['actionProgress'] === undefined) {
    if (!actionsIn(description).some(({ blocking }) => blocking)) return ok(check, 'none are described');
    const detail = 'the API describes actions that run in the background, and no way to watch them';
    return { check, result: 'finding', detail };
  }
  const id = await findRunning(api);
  if (id === null) return ok(check, 'can be watched; none is running, so it was not tried');
  const query = 'subscription ($id: ID!) { actionProgress(id: $id) { outcome } }';
  const events = api.client.subscribe({ query, variables: { id } });
  const { value } = await events.next();
  await events.return?.();
  const [error] = value?.errors ?? [];
  if (error === undefined) return ok(check, 'can be watched; one that is running was');
  const detail = `an action that is running cannot be watched: ${error.message}`;
  return { check, result: 'finding', detail, example: id };
}

/** The id of an unfinished action; null where none is listed. */
async function findRunning({ served, client }: OpenApi): Promise<string | null> {
  const fields = Object.values(served.schema.getQueryType()?.getFields() ?? {});
  const list = fields.find((field) => rowTypeOf(field)?.name === 'ActionState')?.name;
  if (list === undefined) return null;
  const { data } = await client.ask({ query: `{ ${list}(first: 1) { nodes { id finished } } }` });
  const connection: unknown = data?.[list];
  const nodes: unknown = isObject(connection) ? connection['nodes'] : null;
  const [state]: unknown[] = Array.isArray(nodes) ? nodes : [];
  return isObject(state) && state['finished'] === false ? String(state['id']) : null;
}
