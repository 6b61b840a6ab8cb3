// Tests the bounds of inputs: the facade and the sandbox accept values at a bound, and refuse values beyond it with the same message.
import { expect, test } from 'vitest';
import { type Json, send } from '../helpers/sandbox-requests.ts';
import { renewPair } from '../helpers/shared-pair.ts';
import { mutate, WRITES, type Write } from './calls.ts';
import { ENDPOINTS, namespaceOf, readRows } from './rows.ts';

/** Rows of the protocol that a bound proves too. */
const PROTOCOL_ROWS: Readonly<Record<string, string>> = {
  'dataset#inherit/property/blank': 'message/present',
  'dataset#create/sync/always': 'message/include',
  'dataset_expansion#create/added_space/0': 'message/minimum',
  'dataset#migrate/finish_weekday/7': 'message/range',
  'cluster_resource_package#create/label/1-character': 'message/short',
  'dns_record#create/comment/256-characters': 'message/long',
  'dataset#create/name/space': 'message/dataset-name',
  'dataset#create/name/1-character': 'limit/dataset-name/shortest',
  'dataset#create/name/255-characters': 'limit/dataset-name/longest',
  'dataset#create/name/256-characters': 'limit/dataset-name/too-long',
  'dataset#create/name/leading-hyphen': 'limit/dataset-name/first-character',
  'dataset#create/name/every-character': 'limit/dataset-name/characters',
  'dataset#migrate/finish_weekday/0': 'limit/finish_weekday/minimum',
  'dataset#migrate/finish_weekday/6': 'limit/finish_weekday/maximum',
  'dataset#migrate/finish_minutes/0': 'limit/finish_minutes/minimum',
  'dataset#migrate/finish_minutes/1410': 'limit/finish_minutes/maximum',
  'dataset_expansion#create/added_space/1': 'limit/added_space',
  'dataset_expansion#register_expanded/original_refquota/1': 'limit/original_refquota',
  'cluster_resource_package#create/label/2-characters': 'limit/package-label',
  'dns_record#create/comment/255-characters': 'limit/dns-comment',
};

/** An input that the documents refuse, or one at the edge of what they accept. */
interface Bound {
  readonly title: string;
  readonly action: string;
  readonly parameter: string;
  /** By the API's names. */
  readonly input: Readonly<Record<string, unknown>>;
  /** What is said of the parameter; empty: the input is accepted. */
  readonly message: string;
}

const FORM =
  /^`(\S+)` (?:accepts|answers “(.+)” to) (?:a (blank|missing) `(\w+)`|the `(\w+)` `(.+)`|a `(\w+)` of (\d+) characters)\.$/;

const bounds = readRows(FORM).flatMap((found, index): readonly Bound[] => {
  const [id, promise, action = '', message = '', lack, lacking, given, text, long, length] = found;
  const { input } = WRITES[action] ?? {};
  // The search is a query; test/spec/protocol.test.ts has its bound.
  if (input === undefined) return [];
  const parameter = lacking || given || long || '';
  const value = length
    ? 'x'.repeat(Number(length))
    : ({ blank: ' ', missing: undefined }[lack ?? ''] ?? readValue(text ?? ''));
  const { [parameter]: _, name, ...rest } = input;
  // Each object that is made has a name of its own.
  const others = name === undefined || parameter === 'name' ? rest : { name: `${name}${index}`, ...rest };
  const title = `[${[id, PROTOCOL_ROWS[id]].filter(Boolean).join(', ')}] ${promise.replaceAll('`', '')}`;
  return [
    {
      title,
      action,
      parameter,
      input: lack === 'missing' ? others : { ...others, [parameter]: value },
      message: message.replace('…', String(value)),
    },
  ];
});

/** A number, or a text. */
function readValue(text: string): unknown {
  return /^-?\d+$/.test(text) ? Number(text) : text;
}

const writeOf = ({ action }: Bound): Write => {
  const write = WRITES[action];
  if (write === undefined) throw new Error(`there is no call of ${action}`);
  return write;
};

/** Sends a bound's input through GraphQL: everything that it says is wrong. */
async function messagesOf(bound: Bound): Promise<readonly string[]> {
  const { field, input = {} } = writeOf(bound);
  const answer = await mutate<{ it: { userErrors: { message: string }[] } }>(
    pair,
    { field, input },
    { given: bound.input },
  );
  return [...answer.errors, ...(answer.data?.it.userErrors ?? [])].map(({ message }) => message);
}

/** Sends it to the sandbox as its own clients would. */
async function direct({ action, input }: Bound): Promise<Json> {
  const namespace = namespaceOf(action);
  const { method, template } = ENDPOINTS.get(action) ?? {
    method: 'POST',
    template: action === 'token#totp' ? '/_auth/token/tokens/totp' : '/_auth/token/tokens',
  };
  const [id = ''] = /\d+/.exec(WRITES[action]?.field ?? '') ?? [];
  const path = template.replace(/\{\w+\}/, id);
  if (method === 'GET') {
    const query = Object.entries(input).map(([name, value]) => `${namespace}[${name}]=${value}`);
    return (await send(pair.sandbox, `${path}?${query.join('&') || `${namespace}[other]=`}`)).envelope;
  }
  const headers = { 'content-type': 'application/json' };
  const body = JSON.stringify({ [namespace]: input });
  return (await send(pair.sandbox, path, undefined, { method, headers, body })).envelope;
}

// A migration that waits for its day locks the dataset.
const pair = renewPair({ sandbox: { step: 0 } });

for (const bound of bounds.filter(({ message }) => message !== '')) {
  test(bound.title, async () => {
    const said = await messagesOf(bound);
    expect(pair.calls).toEqual([]);
    // What has no value in GraphQL, none for a required parameter or one that is not a choice, is refused by its type.
    const byType = bound.message.endsWith('is missing') || bound.message.endsWith('cannot be used');
    expect(said).toContainEqual(
      byType ? expect.stringMatching(/of required type|does not exist in/) : bound.message,
    );
    expect(await direct(bound)).toMatchObject({
      status: false,
      response: null,
      message: 'input parameters are not valid',
      errors: { [bound.parameter]: expect.arrayContaining([bound.message]) },
    });
  });
}

for (const bound of bounds.filter(({ message }) => message === '')) {
  test(bound.title, async () => {
    expect(await messagesOf(bound)).toEqual([]);
    const call = pair.calls.find(({ scope }) => scope === bound.action) ?? pair.calls[0];
    expect(call).toMatchObject({ status: 200, body: { [namespaceOf(bound.action)]: bound.input } });
  });
}
