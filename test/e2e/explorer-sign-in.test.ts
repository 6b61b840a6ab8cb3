// Tests how users sign in to the explorer.
import { expect, test } from 'vitest';
import {
  expectDocumented,
  openAccount,
  openExplorer,
  panel,
  shareExplorer,
  showDocumentation,
  signInAtProvider,
  signOut,
  useToken,
  waitForSignedIn,
  waitForSignedOut,
} from '../helpers/explorer-page.ts';
import { authorizationCode, redirectUri, requestTokens } from '../helpers/oauth.ts';
import { describeInBrowser, saveScreenshot } from '../helpers/shared-browser.ts';
import { createOneTimeCode } from '../helpers/sign-in.ts';

describeInBrowser('signing in to GraphiQL', () => {
  const explorer = shareExplorer();

  test('by password and one-time code: the documentation grows, and shrinks after signing out', async () => {
    const { page, pair } = explorer;
    await expectDocumented(page, 'components', true);
    await expectDocumented(page, 'datasets', false);
    await openAccount(page);
    await panel(page).getByLabel('User', { exact: true }).fill('totp');
    await panel(page).getByLabel('Password', { exact: true }).fill('wrong');
    await saveScreenshot(page, 'sign-in');
    await panel(page).getByRole('button', { name: 'Sign in', exact: true }).click();
    await panel(page).getByRole('alert').waitFor();
    await panel(page).getByLabel('Password', { exact: true }).fill('sandbox');
    await panel(page).getByRole('button', { name: 'Sign in', exact: true }).click();
    await panel(page).getByLabel('TOTP code').fill(createOneTimeCode(pair.sandbox, Date.now()));
    await saveScreenshot(page, 'sign-in-code');
    await panel(page).getByRole('button', { name: 'Continue' }).click();
    await waitForSignedIn(page);
    await expectDocumented(page, 'datasets', true);
    await openAccount(page);
    await saveScreenshot(page, 'signed-in');
    await panel(page).getByRole('button', { name: 'Sign out' }).click();
    await waitForSignedOut(page);
    await expectDocumented(page, 'datasets', false);
    expect(explorer.problems).toEqual([]);
  });

  test('by a token, which is verified before it is stored, and not revoked by signing out; it needs no Bearer', async () => {
    const { page, pair } = explorer;
    await openAccount(page);
    await panel(page).getByLabel('Token', { exact: true }).fill('no-such-token');
    await panel(page).getByRole('button', { name: 'Use token' }).click();
    await panel(page).getByRole('alert').waitFor();
    const [token = ''] = Object.values(pair.headers('user'));
    await panel(page).getByLabel('Token', { exact: true }).fill(token);
    await panel(page).getByRole('button', { name: 'Use token' }).click();
    await waitForSignedIn(page);
    await page.reload();
    await waitForSignedIn(page);
    await signOut(page);
    await waitForSignedOut(page);
    expect((await pair.ask('{ userCurrent { login } }', { login: 'user' })).data).toEqual({
      userCurrent: { login: 'user' },
    });

    const code = await authorizationCode(pair.sandbox);
    const { access_token: accessToken } = await requestTokens(pair.sandbox, {
      grant_type: 'authorization_code',
      code,
      redirect_uri: redirectUri,
    });
    await useToken(page, String(accessToken), 'Authorization');
    await waitForSignedIn(page);
    await expectDocumented(page, 'datasets', true);
    expect(explorer.problems).toEqual([]);
  });

  test('at the provider takes precedence over the initial header of the editor, also after a reload, and sets no cookie that scripts read', async () => {
    await using withHeaders = await openExplorer({ hasInitialHeaders: true });
    const { page } = withHeaders;
    await expectDocumented(page, 'datasets', true);
    await expectDocumented(page, 'debugHashTops', false);
    await signInAtProvider(page);
    expect(await page.evaluate('document.cookie')).toBe('');
    await openAccount(page);
    await panel(page).getByText('at the provider').waitFor();
    await saveScreenshot(page, 'signed-in-oauth');
    await page.keyboard.press('Escape');
    await page.reload();
    await waitForSignedIn(page);
    await showDocumentation(page);
    await expectDocumented(page, 'debugHashTops', true);
    await signOut(page);
    await waitForSignedOut(page);
    await showDocumentation(page);
    await expectDocumented(page, 'debugHashTops', false);
  });
});
