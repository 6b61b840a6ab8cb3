// Tests which lifetime a sign-in asks for, of those that an API offers.
import { describe, expect, it } from 'vitest';
import { action, describeApi, type Raw, resource } from '../../../../test/helpers/describe-api.ts';
import { openApi } from '../../../../test/helpers/described.ts';
import { ok } from '../../../../test/helpers/stub-upstream.ts';
import { findFirstStep, readSignInSteps } from '../../src/sign-in/sign-in-steps.ts';
import { preferredChoice } from '../../src/sign-in/step-inputs.ts';

const EXPLAINED = 'fixed - cannot be renewed\nrenewable_auto - renews itself';

/** Reads the first step of an API with these lifetimes, where the interval is limited. */
async function openStep(values: readonly string[] | Raw, interval: Raw | null) {
  const lifetime = {
    type: 'String',
    required: true,
    description: EXPLAINED,
    validators: { include: { values } },
  };
  const request = action({
    ...{ path: '/tokens', method: 'POST', namespace: 'token', auth: false },
    input: { lifetime, ...(interval === null ? {} : { interval: { type: 'Integer', ...interval } }) },
    output: { token: 'String', complete: 'Boolean', next_action: 'String' },
  });
  const sent: unknown[] = [];
  const tokens = { http_header: 'X-Library-Token', resources: { token: resource({ request }) } };
  const api = await openApi(
    { ...describeApi({}), authentication: { token: tokens } },
    {
      'token#request': ({ body }) => {
        sent.push((body as { token: unknown }).token);
        return ok({ token: { token: 'issued', complete: true, next_action: null } });
      },
    },
  );
  const steps = await readSignInSteps(async <Data>(query: string, variables?: object) => {
    const { data, errors } = await api.ask<Data>(query, { variables: { ...variables }, token: null });
    expect(errors).toEqual([]);
    return data as Data;
  });
  const step = findFirstStep(steps);
  if (step === undefined) throw new Error('expected a step');
  return { ...api, step, sent };
}

describe('the lifetime of a token', () => {
  it.each([
    ['renews itself, if the API offers that', ['fixed', 'permanent', 'renewable_auto'], 'RENEWABLE_AUTO'],
    ['has no end, if nothing renews itself', ['fixed', 'permanent', 'renewable_manual'], 'PERMANENT'],
    ['can be renewed, if all have an end', ['fixed', 'renewable_manual'], 'RENEWABLE_MANUAL'],
    ['is for the user to choose, if nothing says how long it is', ['long', 'short'], null],
  ])('%s', async (_title, values, expected) => {
    await using at = await openStep(values, null);
    const [lifetime] = at.step.inputs;
    expect(lifetime && preferredChoice(lifetime)).toBe(expected);
  });

  it.each([
    ['a working day', {}, 43_200],
    [
      'half of that, as often as the API’s rules need',
      { validators: { number: { min: 1, max: 20_000 } } },
      10_800,
    ],
    [
      'the API’s own default, if all of these are refused',
      { validators: { number: { max: 60 } } },
      undefined,
    ],
  ])('is %s', async (_title, interval, expected) => {
    await using at = await openStep(['fixed', 'renewable_auto'], interval);
    expect(await at.step.run({ lifetime: 'RENEWABLE_AUTO' })).toMatchObject({ token: 'issued' });
    expect(at.sent).toEqual([{ lifetime: 'renewable_auto', ...(expected && { interval: expected }) }]);
  });
});

describe('the labels of lifetimes', () => {
  it.each([
    [
      'the API’s own',
      { fixed: 'For a while', renewable_auto: 'While I work' },
      ['For a while', 'While I work'],
    ],
    ['its explanations', ['fixed', 'renewable_auto'], ['Cannot be renewed', 'Renews itself']],
    ['words', ['other', 'renewable_manual'], ['Other', 'Renewable manual']],
  ])('are %s', async (_title, values, expected) => {
    await using at = await openStep(values, null);
    expect(at.step.inputs[0]?.choices.map(({ label }) => label)).toEqual(expected);
  });
});
