// Tests signing in to the explorer with the steps that an API describes.
import { expect, test } from 'vitest';
import { action, describeApi, type RawParameters, resource } from '../helpers/describe-api.ts';
import { openApi } from '../helpers/described.ts';
import { openAccount, panel, waitForSignedIn } from '../helpers/explorer-page.ts';
import { describeInBrowser, openPage } from '../helpers/shared-browser.ts';
import { type Handler, ok } from '../helpers/stub-upstream.ts';

const OUTPUT = { token: 'String', complete: 'Boolean', next_action: 'String' } as const;
const required = (type: string) => ({ type, required: true });
const step = (name: string, input: RawParameters) => ({
  ...action({ path: `/_auth/${name}`, method: 'POST', namespace: 'token', input, output: OUTPUT }),
  auth: false,
});

/** An API that requires a name, then a number and a boolean, and then, for some users, a step that it does not describe. */
async function open(last: object) {
  const described = describeApi({
    shelf: resource({
      index: action({
        path: '/shelves',
        namespace: 'shelf',
        layout: 'object_list',
        output: { id: 'Integer' },
      }),
    }),
  });
  const token = resource({
    request: step('request', { user: required('String') }),
    pin: step('pin', { token: required('String'), pin: required('Integer'), agreed: required('Boolean') }),
  });
  const authentication = {
    token: { http_header: 'X-Library-Token', query_parameter: 't', resources: { token } },
  };
  const answered: unknown[] = [];
  const answer =
    (fields: object): Handler =>
    ({ body }) => {
      answered.push((body as { token: unknown }).token);
      return ok({ token: fields });
    };
  const api = await openApi(
    { ...described, authentication },
    {
      'token#request': answer({ token: 'half', complete: false, next_action: 'pin' }),
      'token#pin': answer(last),
    },
  );
  const server = await api.listen();
  const page = await openPage();
  await page.goto(server.url);
  return {
    page,
    answered,
    async [Symbol.asyncDispose]() {
      await page.context().close();
      await api[Symbol.asyncDispose]();
    },
  };
}

describeInBrowser('signing in to GraphiQL with the steps of an API', () => {
  test('sends numbers and booleans with their types', async () => {
    await using at = await open({ token: 'whole', complete: true, next_action: null });
    const { page, answered } = at;
    await openAccount(page);
    await panel(page).getByLabel('User', { exact: true }).fill('ann');
    await panel(page).getByRole('button', { name: 'Sign in', exact: true }).click();
    await panel(page).getByLabel('Pin', { exact: true }).fill('0042');
    await panel(page).getByLabel('Agreed', { exact: true }).check();
    await panel(page).getByRole('button', { name: 'Continue' }).click();
    await waitForSignedIn(page);
    expect(answered).toEqual([{ user: 'ann' }, { token: 'half', pin: 42, agreed: true }]);
    await expect.poll(() => page.evaluate('document.activeElement.textContent')).toContain('Signed in');
  });

  test('reports a step that the API does not describe', async () => {
    await using at = await open({ token: 'half', complete: false, next_action: 'dance' });
    const { page } = at;
    await openAccount(page);
    await panel(page).getByLabel('User', { exact: true }).fill('ann');
    await panel(page).getByRole('button', { name: 'Sign in', exact: true }).click();
    await panel(page).getByLabel('Pin', { exact: true }).fill('1');
    await panel(page).getByRole('button', { name: 'Continue' }).click();
    expect(await panel(page).getByRole('alert').textContent()).toContain(
      'a further step that it does not describe',
    );
  });
});
