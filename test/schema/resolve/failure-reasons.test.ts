// Tests the user errors of failed actions, and resources that share the ids of action states.

import { describe, expect, it } from 'vitest';
import { assembleSchema } from '../../../src/schema/assemble.ts';
import type { Overrides } from '../../../src/schema/model/overrides.ts';
import { parseDescription } from '../../../src/upstream/description/parse-description.ts';
import { refuse } from '../../helpers/stub-upstream.ts';
import { openWorkshop, WORKSHOP } from '../../helpers/workshop.ts';

const OVERRIDES = { actionStateResources: ['job'] } satisfies Overrides;
const FAILED = { id: 500, current: 3, finished: true, status: false, label: 'Sharpen' } as const;
const SHARPEN = `mutation {
  toolSharpen(id: 5, wait: 5) { actionState { outcome } userErrors { code message path } }
}`;

describe('the user error of a failed action', () => {
  it.each([
    ['its label and progress', FAILED, 'The action "Sharpen" failed at 3 of 10.'],
    [
      'the unit of its progress',
      { ...FAILED, unit: 'strokes' },
      'The action "Sharpen" failed at 3 of 10 strokes.',
    ],
    ['only its label', { ...FAILED, total: 0 }, 'The action "Sharpen" failed.'],
    ['no details', { ...FAILED, label: null, current: null, total: null }, 'The action failed.'],
  ])('contains %s if the API returns it', async (_name, state, message) => {
    await using shop = await openWorkshop({});
    shop.actions.set(state as typeof FAILED);
    expect((await shop.ask(SHARPEN)).data).toEqual({
      toolSharpen: {
        actionState: { outcome: 'FAILED' },
        userErrors: [{ code: 'ACTION_FAILED', message, path: null }],
      },
    });
  });
});

describe('a resource that shares its IDs with action states', () => {
  const JOB = 'mutation { toolSharpen(id: 5) { actionState { job { id label } } } }';

  it('is a field of the state, which is fetched only if more than its ID is selected', async () => {
    await using shop = await openWorkshop({}, { overrides: OVERRIDES });
    const { data, errors } = await shop.ask(JOB);
    expect(errors).toEqual([]);
    expect(data).toEqual({ toolSharpen: { actionState: { job: { id: 'job/500', label: 'Sharpen' } } } });
    const bare = await shop.ask('mutation { toolSharpen(id: 5) { actionState { id job { id } } } }');
    expect(bare.data).toEqual({
      toolSharpen: { actionState: { id: 'action_state/500', job: { id: 'job/500' } } },
    });
    expect(shop.upstream.calls.map(({ scope, path }) => [scope, ...path])).toEqual([
      ['tool#sharpen', '5'],
      ['job#show', '500'],
      ['tool#sharpen', '5'],
    ]);
  });

  it('is null if no object has the ID', async () => {
    await using shop = await openWorkshop(
      { 'job#show': () => refuse('no such job', null, 404) },
      { overrides: OVERRIDES },
    );
    expect(await shop.ask(JOB)).toMatchObject({
      errors: [],
      data: { toolSharpen: { actionState: { job: null } } },
    });
  });

  it('is not a field without an override', async () => {
    await using shop = await openWorkshop();
    expect((await shop.ask(JOB)).errors).toMatchObject([{ extensions: { code: 'BAD_USER_INPUT' } }]);
  });

  it('is reported and omitted if its objects need several IDs', () => {
    const { findings } = assembleSchema(parseDescription(WORKSHOP), { actionStateResources: ['tool.part'] });
    expect(findings).toMatchObject([{ code: 'OVERRIDE_UNUSABLE', path: 'tool.part' }]);
  });
});
