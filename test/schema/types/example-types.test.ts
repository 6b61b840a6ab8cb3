// Tests the types of JSON outputs whose shape is known from the examples of the API.

import { printType } from 'graphql';
import { describe, expect, it } from 'vitest';
import { assembleSchema } from '../../../src/schema/assemble.ts';
import { parseDescription } from '../../../src/upstream/description/parse-description.ts';
import { describeApi, type Raw, resource, show } from '../../helpers/describe-api.ts';
import { openDescribed } from '../../helpers/described.ts';
import { ok } from '../../helpers/stub-upstream.ts';

/** Describes jobs whose output `concerns` is JSON, with these examples. */
const jobs = (...examples: readonly unknown[]): Raw => ({
  job: resource({ show: { ...show('job', 'jobs', { id: 'Integer', concerns: 'Custom' }), examples } }),
});

const exampleOf = (concerns: unknown): Raw => ({ title: '', status: true, response: { id: 1, concerns } });

const CONCERNS = {
  kind: 'affect',
  share: 0.5,
  urgent: true,
  objects: [{ row_id: 7, class_name: 'Crane' }],
  pairs: [['Crane', 7]],
};

/** Returns the type of the field, without its name. */
function typeOf(...examples: readonly unknown[]): string {
  const { schema } = assembleSchema(parseDescription(describeApi(jobs(...examples))));
  const type = schema.getType('Job');
  return type === undefined ? '' : (/concerns: (.*)/.exec(printType(type))?.[1] ?? '');
}

describe('a JSON output with examples', () => {
  it('has a type with their fields, and the whole value beside them', () => {
    const { schema, findings } = assembleSchema(
      parseDescription(describeApi(jobs(exampleOf(CONCERNS), exampleOf({ kind: 'move', to: null })))),
    );
    const printed = ['JobConcerns', 'JobConcernsObject'].map((name) => {
      const type = schema.getType(name);
      return type === undefined ? '' : printType(type).replaceAll(/ *"""[\s\S]*?"""\n|^\n/gm, '');
    });
    expect(printed).toEqual([
      `type JobConcerns {
  json: JSON
  kind: String
  pairs: [JSON]
  share: Float
  to: JSON
  urgent: Boolean
  objects: [JobConcernsObject]
}`,
      `type JobConcernsObject {
  className: String
  json: JSON
  rowId: SafeInt
}`,
    ]);
    expect(findings).toEqual([]);
  });

  it.each([
    ['a list of objects', [exampleOf([{ a: 1 }])], '[JobConcern]'],
    ['a list in the whole response', [{ response: [{ concerns: { a: 1 } }] }], 'JobConcerns'],
    ['no examples', [], 'JSON'],
    ['a failure', [{ ...exampleOf({ a: 1 }), status: false }], 'JSON'],
    ['values without a structure', [exampleOf('x'), exampleOf([1]), exampleOf({})], 'JSON'],
    ['objects of different kinds', [exampleOf({ a: 1 }), exampleOf({ b: 1 })], 'JSON'],
    ['an object and a text', [exampleOf({ a: 1 }), exampleOf('a')], 'JSON'],
    ['keys that are ids', [exampleOf({ '7': 'x' })], 'JSON'],
    ['malformed examples', ['x', null, { response: 'x' }, { response: [null] }], 'JSON'],
  ])('that show %s has the type that fits', (_what, examples, type) => {
    expect(typeOf(...examples)).toBe(type);
  });

  it('is read as it is shown, with null and a warning for what differs', async () => {
    const sent = {
      ...CONCERNS,
      share: 'half',
      urgent: null,
      objects: [{ row_id: 7, class_name: 'Crane', new: [1] }, 'x', null],
    };
    await using api = await openDescribed(jobs(exampleOf(CONCERNS)), {
      'job#show': ({ path: [id] }) =>
        ok({ job: { id: Number(id), concerns: id === '1' ? sent : id === '2' ? null : 'x' } }),
    });
    const concerns = (id: number) =>
      `job(id: ${id}) { concerns { kind share urgent pairs json objects { rowId className json } } }`;
    const { data, errors, extensions } = await api.ask(
      `{ a: ${concerns(1)} b: ${concerns(2)} c: ${concerns(3)} }`,
    );
    expect(errors).toEqual([]);
    expect(data).toEqual({
      a: {
        concerns: {
          kind: 'affect',
          share: null,
          urgent: null,
          pairs: [['Crane', 7]],
          json: sent,
          objects: [
            { rowId: 7, className: 'Crane', json: sent.objects[0] },
            { rowId: null, className: null, json: 'x' },
            null,
          ],
        },
      },
      b: { concerns: null },
      c: { concerns: { kind: null, share: null, urgent: null, pairs: null, json: 'x', objects: null } },
    });
    expect(extensions['warnings']).toEqual(
      expect.arrayContaining([
        { code: 'VALUE_UNEXPECTED', coordinate: 'JobConcerns.share', count: 2 },
        { code: 'VALUE_UNEXPECTED', coordinate: 'JobConcernsObject.rowId', count: 1 },
      ]),
    );
  });
});
