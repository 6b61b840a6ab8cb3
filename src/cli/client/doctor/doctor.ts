// The command `doctor`: checks how well an API can be served to a caller.

import { builtInOverrides } from '../../../schema/model/built-in-overrides.ts';
import type { ServedSchema } from '../../../schema/registry.ts';
import type { AuthenticationMethods } from '../../../upstream/description/description.ts';
import { allActions, allResources } from '../../../upstream/description/select-actions.ts';
import { EXIT_CODES } from '../../exit-codes.ts';
import { describeFindings } from '../../messages.ts';
import type { CallerConfig } from '../caller-settings.ts';
import { type OpenApi, openApi } from '../open-api.ts';
import { type Format, note, printRows } from '../output.ts';
import { type CheckResult, finding, ok } from './check-result.ts';
import { checkLists } from './lists/check-lists.ts';
import { probeActions } from './probe-actions.ts';
import { ProgressLine } from './progress-line.ts';

/** Overrides that settle findings about the description, by the code of the finding. */
const REMEDIES: Readonly<Record<string, string>> = {
  TYPE_NAME_CLASH: 'typeNames',
  RESOURCE_NAME_CLASH: 'typeNames',
  READ_NOT_PLACED: 'queries',
  ENUM_VALUES_CLASH: 'enumValues',
};

/** The checks that need more than an answer: an API that cannot be reached ends the command. */
export async function examine(config: CallerConfig, format: Format): Promise<number> {
  await using api = await openApi(config);
  const { served } = api;
  const progress = new ProgressLine('lists');
  const results: readonly CheckResult[] = [
    ok('reach', `${config.upstream.url ?? 'the sandbox'} answers as a HaveAPI server`),
    ok('version', describeVersion(config, served)),
    ok('sign-in', describeMethods(served.description.authentication)),
    await checkCaller(api),
    ok('size', describeSize(served)),
    ...checkDescription(served),
    await probeActions(api),
    ...(await progress.during(
      checkLists(api, config.overrides ?? builtInOverrides(api.served.description), progress.show),
    )),
    ...describeWrites(served),
  ];
  await printRows(results, format, 'whole');
  const findings = results.filter(({ result }) => result === 'finding').length;
  note(findings === 0 ? 'No findings.' : `${findings} findings.`);
  return findings === 0 ? EXIT_CODES.ok : EXIT_CODES.failed;
}

function describeVersion({ upstream }: CallerConfig, { description }: ServedSchema): string {
  const [action] = allActions(description.resources);
  return `${upstream.version ?? "the API's default"}, with paths such as ${action?.path.text ?? 'none'}`;
}

function describeMethods({ basic, token, oauth2 }: AuthenticationMethods): string {
  const ways = [
    ...(basic ? ['password (HTTP basic)'] : []),
    ...(token === null ? [] : [`token in ${token.httpHeader}`]),
    ...(oauth2 === null
      ? []
      : [`OAuth 2.0${oauth2.endpoints === null ? ' without described addresses' : ''}`]),
  ];
  return ways.join(', ') || 'none is described';
}

async function checkCaller(api: OpenApi): Promise<CheckResult> {
  const { data } = await api.ask({ query: '{ session { authenticated method } }' });
  const { authenticated, method } = Object(data?.['session']);
  return ok('caller', authenticated === true ? `signed in (${String(method).toLowerCase()})` : 'anonymous');
}

function describeSize({ description, schema }: ServedSchema): string {
  const resources = allResources(description.resources);
  const actions = allActions(description.resources);
  const types = Object.keys(schema.getTypeMap()).filter((name) => !name.startsWith('__'));
  return `${resources.length} resources with ${actions.length} actions become ${types.length} types`;
}

/** Says how many actions were left alone. */
function describeWrites({ description }: ServedSchema): readonly CheckResult[] {
  const count = allActions(description.resources).filter(({ method }) => method !== 'GET').length;
  const detail = `${count} actions whose method is not GET, because they may write`;
  return count === 0 ? [] : [{ check: 'writes', result: 'untried', detail }];
}

function checkDescription({ findings }: ServedSchema): readonly CheckResult[] {
  if (findings.length === 0) return [ok('description', 'everything in it is served')];
  return describeFindings(findings).map((line) => {
    const remedy = REMEDIES[line.split(':')[0] ?? ''];
    return finding(
      'description',
      remedy === undefined ? line : `${line}. The override "${remedy}" settles it.`,
    );
  });
}
