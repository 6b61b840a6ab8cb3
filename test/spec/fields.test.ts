import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Pair, startPair } from '../helpers/facade.ts';
import { type Json, send } from '../helpers/sandbox-requests.ts';
import { fieldsTitle, resourceFields } from './fields.ts';

/** GraphQL's type of each type of the documents. */
const scalars: Readonly<Record<string, string>> = {
  String: 'String',
  Text: 'String',
  Boolean: 'Boolean',
  Integer: 'SafeInt',
  Float: 'Float',
  Datetime: 'DateTime',
  Custom: 'JSON',
};

let pair: Pair;
beforeAll(async () => {
  pair = await startPair({ sandbox: { step: 'manual' } });
});
afterAll(() => pair[Symbol.asyncDispose]());

const camel = (name: string) =>
  name === 'id' ? 'databaseId' : name.replaceAll(/_(\w)/g, (_match, letter: string) => letter.toUpperCase());

/** The object that an answer holds below its outer field. */
function innermost(value: Json): Json {
  if (Array.isArray(value)) return value[0] as Json;
  const [only, ...more] = Object.values(value);
  return more.length === 0 && only !== null && typeof only === 'object' ? innermost(only) : value;
}

test.each(resourceFields.map((fields) => [fieldsTitle(fields), fields] as const))(
  '%s',
  async (_title, resource) => {
    const { field, path, fields } = resource;
    const all = fields.map((one) => one.split(':') as [name: string, type: string]);
    const selection = all.map(([name, type]) =>
      type === 'Resource' ? `${camel(name)} { id }` : camel(name),
    );
    const closing = '}'.repeat(field.split('{').length - 1);
    const { data, errors } = await pair.ask<Json>(
      `{ it: ${field} { __typename ${selection.join(' ')} } ${closing} }`,
    );
    expect(errors).toEqual([]);
    const shown = innermost(data?.['it'] as Json);
    const { envelope } = await send(pair.sandbox, path);
    const [answer] = Object.entries(envelope['response'] ?? {})
      .filter(([name]) => name !== '_meta')
      .map(([, value]) => value);
    const held = (Array.isArray(answer) ? answer[0] : answer) as Record<string, unknown>;
    expect(
      Object.keys(held)
        .filter((name) => name !== '_meta')
        .sort(),
    ).toEqual(all.map(([name]) => name).sort());

    type Typed = {
      readonly __type: { readonly fields: readonly { name: string; type: { name: string; kind: string } }[] };
    };
    const described = await pair.ask<Typed>(
      `{ __type(name: "${String(shown['__typename'])}") { fields { name type { name kind } } } }`,
    );
    for (const [name, type] of all) {
      const own = described.data?.__type.fields.find((one) => one.name === camel(name))?.type;
      const value: unknown = shown[camel(name)];
      const there = held[name];
      if (type === 'Resource') {
        expect([name, own?.kind]).toEqual([name, 'OBJECT']);
        const id = (there as Json | null)?.['id'];
        const shownId = String((value as Json | null)?.['id'])
          .split('/')
          .at(-1);
        expect([name, value === null ? undefined : shownId]).toEqual([
          name,
          there === null ? undefined : String(id),
        ]);
      } else {
        const isChoice = type === 'Choice';
        expect([name, isChoice ? own?.kind : own?.name]).toEqual([name, isChoice ? 'ENUM' : scalars[type]]);
        expect([name, value]).toEqual([name, isChoice ? String(there).toUpperCase() : there]);
      }
    }
  },
);
