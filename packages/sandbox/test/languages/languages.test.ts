// Tests the languages of descriptions and messages.
import { afterAll, describe, expect, test } from 'vitest';
import { send } from '../../../../test/helpers/sandbox-requests.ts';
import { chooseLanguage } from '../../src/languages/translate-response.ts';
import { listenSandbox } from '../../src/listen-sandbox.ts';

test.each([
  ['cs', 'cs'],
  ['cs-CZ', 'cs'],
  ['cs_CZ;q=0.2, en;q=0.1', 'cs'],
  ['en, cs;q=0.9', 'en'],
  ['de, cs;q=0.1', 'cs'],
  ['cs;q=0', 'en'],
  ['*', 'en'],
  [undefined, 'en'],
])('chooses for %j', (header, language) => {
  expect(chooseLanguage(header)).toBe(language);
});

const sandbox = await listenSandbox();
afterAll(() => sandbox.close());

const czech = { 'accept-language': 'cs' };
const json = { 'content-type': 'application/json' };

describe('a response', () => {
  test('has labels, descriptions, choices and messages in Czech', async () => {
    const { envelope, headers } = await send(sandbox, '/v7.0/datasets?method=POST', undefined, {
      method: 'OPTIONS',
      headers: czech,
    });
    expect(envelope['response']).toMatchObject({
      description: 'Vytvořit podřízený dataset',
      input: {
        parameters: {
          name: { validators: { format: { message: '„%{value}“ není platný název datasetu' } } },
        },
      },
    });
    expect(headers.get('vary')).toBe('Accept-Language');
  });

  test('has the errors of parameters in Czech', async () => {
    const { envelope } = await send(
      sandbox,
      '/v7.0/datasets?dataset[limit]=5000&dataset[from_id]=x',
      undefined,
      {
        headers: czech,
      },
    );
    expect(envelope).toMatchObject({
      message: 'vstupní parametry nejsou platné',
      errors: { limit: ['musí být v rozsahu <0, 1000>'], from_id: ['neplatné celé číslo: "x"'] },
    });
  });

  test('differs between languages in texts only', async () => {
    const describeIn = async (headers: Record<string, string>) =>
      shapeOf(
        (await send(sandbox, '/', undefined, { method: 'OPTIONS', headers: { ...json, ...headers } }))
          .envelope,
      );
    expect(await describeIn(czech)).toEqual(await describeIn({}));
  });
});

/** A value with all its texts replaced by their type, and the names of its keys as they are. */
function shapeOf(value: unknown): unknown {
  if (typeof value === 'string') return 'text';
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, shapeOf(inner)]));
}
