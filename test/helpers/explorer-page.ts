// Opens the explorer in a real browser and operates its panel.
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, vi } from 'vitest';
import { seededToken } from '../../packages/sandbox/src/auth/sessions.ts';
import type { SandboxOptions } from '../../packages/sandbox/src/listen-sandbox.ts';
import type { FacadeOptions } from '../../src/facade/facade-options.ts';
import { startPair } from './facade.ts';
import { openPage } from './shared-browser.ts';

const client = {
  id: 'explorer',
  secret: 'explorer-secret',
  name: 'Explorer',
  redirectUris: ['http://127.0.0.1/auth/callback'],
};

/** Parts of GraphiQL and of its editor with faults of their own, which docs/explorer.md lists. */
export const FOREIGN = ['.monaco-editor', '.graphiql-tabs', '.graphiql-horizontal-drag-bar'];

/** The explorer in a browser's page, over a facade with a sandbox and its OAuth 2.0 provider. Other hosts are cut off. */
export async function openExplorer({
  hasInitialHeaders = false,
  sandbox = {},
  isNarrow = false,
  locale,
  facade = {},
}: {
  hasInitialHeaders?: boolean;
  sandbox?: SandboxOptions;
  /** Whether the page is as wide as a phone. It is then left as it opens; else the documentation is opened. */
  isNarrow?: boolean;
  /** Default: English. */
  locale?: string;
  facade?: Partial<FacadeOptions>;
} = {}) {
  const oauth = { clientId: client.id, clientSecret: client.secret };
  const explorer = { headers: { 'X-Service-Auth-Token': seededToken('user') } };
  const pair = await startPair({
    sandbox: { ...sandbox, oauthClients: [client] },
    facade: { oauth, ...(hasInitialHeaders ? { explorer } : {}), ...facade },
  });
  const server = await pair.listen();
  const page = await openPage(locale);
  if (isNarrow) await page.setViewportSize({ width: 400, height: 800 });
  const context = page.context();
  const problems: string[] = [];
  /** Requests that are refused are among them. */
  const consoleErrors: string[] = [];
  page.on('console', (message) => {
    if (message.type() === 'error') consoleErrors.push(message.text());
  });
  await context.route(
    ({ hostname }) => hostname !== '127.0.0.1',
    (route) => {
      problems.push(`requested ${route.request().url()}`);
      return route.abort();
    },
  );
  page.on('pageerror', (error) => problems.push(String(error)));
  page.on('websocket', (socket) => {
    if (new URL(socket.url()).hostname !== '127.0.0.1') problems.push(`connected to ${socket.url()}`);
  });
  await page.goto(server.url);
  if (!isNarrow) await showDocumentation(page);
  return {
    pair,
    page,
    problems,
    consoleErrors,
    async [Symbol.asyncDispose]() {
      await context.close();
      await pair[Symbol.asyncDispose]();
    },
  };
}

type Explorer = Awaited<ReturnType<typeof openExplorer>>;

/** Opens one explorer for all tests of a block, which begin where the test before has left it. */
export function shareExplorer(options?: Parameters<typeof openExplorer>[0]): Explorer {
  const explorer = {} as Explorer;
  beforeAll(async () => void Object.assign(explorer, await openExplorer(options)));
  afterAll(() => explorer[Symbol.asyncDispose]());
  return explorer;
}

/** Opens the documentation if it is not open already. */
export async function showDocumentation(page: Page): Promise<void> {
  const button = page.getByRole('button', { name: /(Show|Hide) Documentation Explorer/ });
  await button.waitFor();
  if ((await page.locator('.graphiql-doc-explorer').count()) === 0) await button.click();
}

/** Opens the documentation of a type by the search, whose results follow what is typed after a moment. */
export function searchDocumentation(page: Page, type: string): Promise<void> {
  const soon = { timeout: 5_000 };
  const options = page.getByRole('option');
  return vi.waitFor(
    async () => {
      const title = page.locator('.graphiql-doc-explorer-title', { hasText: type });
      if ((await title.count()) > 0) return;
      await page.getByRole('combobox').first().fill(type, soon);
      await expect.poll(() => options.filter({ hasNotText: type }).count(), soon).toBe(0);
      await page.getByRole('option', { name: type, exact: true }).click(soon);
      await title.waitFor(soon);
    },
    { timeout: 40_000, interval: 100 },
  );
}

/** Opens the dialog to sign in or out. */
export async function openAccount(page: Page): Promise<void> {
  await page.locator('.optiongraph-account').click();
  await panel(page).waitFor();
}

/** Waits until the page shows that somebody is signed in. */
export const waitForSignedIn = (page: Page): Promise<void> =>
  page.locator('.optiongraph-account', { hasText: 'Signed in' }).waitFor();

/** Waits until the page shows that nobody is signed in. */
export const waitForSignedOut = (page: Page): Promise<void> =>
  page.locator('.optiongraph-account', { hasText: 'Sign in' }).waitFor();

/** Signs out in the dialog. */
export async function signOut(page: Page): Promise<void> {
  await openAccount(page);
  await panel(page).getByRole('button', { name: 'Sign out' }).click();
}

/** Signs in on the provider's page. */
export async function signInAtProvider(page: Page, login = 'admin'): Promise<void> {
  await openAccount(page);
  await panel(page).getByRole('link', { name: 'Sign in at the provider' }).click();
  await page.locator('input[name="user"]').fill(login);
  await page.locator('input[name="password"]').fill('sandbox');
  await page.locator('button, input[type="submit"]').first().click();
  await waitForSignedIn(page);
}

/** Enters a token for a header in the dialog. */
export async function useToken(page: Page, token: string, header = 'X-Service-Auth-Token'): Promise<void> {
  await openAccount(page);
  await panel(page).getByLabel('Header', { exact: true }).selectOption(header);
  await panel(page).getByLabel('Token', { exact: true }).fill(token);
  await panel(page).getByRole('button', { name: 'Use token' }).click();
}

/** Clicks a tab as people do, and waits until the editor shows its document. */
export async function turnTo(page: Page, name: string): Promise<void> {
  await page.locator(`.graphiql-tab-button[title="${name}"]`).click();
  await page.locator('.graphiql-tab-active', { hasText: name }).waitFor();
  const line = page.locator('section[aria-label="Operation Editor"] .view-line', { hasText: name });
  await line.first().waitFor();
}

/** Replaces the operation in the editor; the tab then has its name. */
export async function typeOperation(page: Page, name: string, text: string): Promise<void> {
  // The lines may be scrolled away, the editor is not.
  const editor = page.locator('section[aria-label="Operation Editor"] .monaco-editor').first();
  await editor.click({ position: { x: 150, y: 150 } });
  await page.keyboard.press('Control+A');
  // The editor may add a closing brace at the end, which then belongs to the comment.
  await page.keyboard.insertText(`${text} #`);
  // GraphiQL reads the document after a moment, and then renames the tab.
  await page.locator('.graphiql-tab-active', { hasText: name }).waitFor();
}

/** Replaces the headers in the editor. */
export async function typeHeaders(page: Page, text: string): Promise<void> {
  await page.locator('section[aria-label="Headers"] .view-lines').last().click();
  await page.keyboard.press('Control+A');
  await page.keyboard.insertText(text);
}

/** What has the focus: its name for screen readers, or its text. */
export const focused = (page: Page): Promise<string> =>
  page.evaluate(
    `(({ labels, ariaLabel, innerText }) => labels?.[0]?.innerText ?? ariaLabel ?? innerText)(document.activeElement)`,
  );

/** Presses Tab until an element with the name has the focus. */
export async function tabTo(page: Page, name: string | RegExp): Promise<void> {
  const passed: string[] = [];
  while (passed.length < 60) {
    await page.keyboard.press('Tab');
    const current = await focused(page);
    if (typeof name === 'string' ? current === name : name.test(current)) return;
    passed.push(current);
  }
  throw new Error(`Tab does not reach ${name}, but ${passed.join(', ')}`);
}

/** Whether an element, or the text of a field, is wider than its place. */
export const isCutOff = ({
  scrollWidth,
  clientWidth,
}: {
  scrollWidth: number;
  clientWidth: number;
}): boolean => scrollWidth > clientWidth;

/** The dialog to sign in or out. */
export const panel = (page: Page) => page.getByRole('dialog');

/** Waits until the documentation of `Query` has a field, or has it no more. */
export async function expectDocumented(page: Page, field: string, expected: boolean): Promise<void> {
  const docs = page.locator('.graphiql-doc-explorer');
  const back = docs.locator('.graphiql-doc-explorer-back');
  const count = async (): Promise<number> => {
    // The documentation begins anew for each caller.
    if ((await back.count()) === 0) await docs.getByText('Query', { exact: true }).click();
    await back.waitFor();
    return docs.getByText(field, { exact: true }).count();
  };
  await expect.poll(count, { timeout: 15_000 }).toBe(expected ? 1 : 0);
}
