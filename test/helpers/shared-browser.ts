// Opens pages in the browser that all end-to-end tests share, and finds what keeps people from using them.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { type Browser, chromium, type Page } from 'playwright-core';
import { describe, inject } from 'vitest';

const endpoint = inject('browser');
let connection: Promise<Browser> | undefined;

/**
 * An empty page in a context of its own: it shares no cookies, storage or cache. Closing the context closes the page.
 * @param locale The language of its reader. Default: English.
 */
export async function openPage(locale = 'en-US'): Promise<Page> {
  connection ??= chromium.connect(endpoint ?? '');
  const context = await (await connection).newContext({ viewport: { width: 1400, height: 900 }, locale });
  return context.newPage();
}

/** Tests in a browser, which are skipped where there is none. */
export function describeInBrowser(name: string, tests: () => void): void {
  // GraphiQL ignores a press now and then while it loads; a real fault fails twice.
  describe.skipIf(endpoint === null)(name, { retry: 1 }, tests);
}

/** Saves a screenshot for people to look at, if the variable `PICTURES` names a folder. */
export async function saveScreenshot(page: Page, name: string): Promise<void> {
  const folder = process.env['PICTURES'];
  if (folder !== undefined) await page.screenshot({ path: `${folder}/${name}.png` });
}

/** Whether people see the middle of an element, because nothing covers it. */
export const isInFront = (element: Element): boolean => {
  const { x, y, width, height } = element.getBoundingClientRect();
  const top = document.elementFromPoint(x + width / 2, y + height / 2);
  return (
    top !== null &&
    (element.contains(top) ||
      top.contains(element) ||
      top.closest('.monaco-editor') === element.closest('.monaco-editor'))
  );
};

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

const OPTIONS = JSON.stringify({
  // The policy of a page may forbid to fetch its styles again.
  preload: false,
  // A rule of WCAG 2.2, which axe leaves out by default.
  rules: { 'target-size': { enabled: true } },
});

/** The rules of axe that the page breaks, each with the elements at fault. Elements that match a selector in `except` are left out. */
export async function findBarriers(page: Page, except: readonly string[] = []): Promise<readonly string[]> {
  await page.evaluate(AXE);
  const context = JSON.stringify({ exclude: except.map((selector) => [selector]) });
  return page.evaluate(`axe.run(${context}, ${OPTIONS}).then(({ violations }) =>
    violations.map(({ id, nodes }) => id + ': ' + nodes.map(({ target }) => target).join(', ')))`);
}
