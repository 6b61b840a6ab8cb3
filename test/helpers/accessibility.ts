// Finds what keeps people who use a keyboard or a screen reader from using a page.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** The rules of axe that the page breaks, each with the elements at fault. Elements that match a selector in `except` are left out. */
export async function findBarriers(page: Page, except: readonly string[] = []): Promise<readonly string[]> {
  await page.evaluate(AXE);
  const context = JSON.stringify({ exclude: except.map((selector) => [selector]) });
  // The policy of a page may forbid to fetch its styles again.
  return page.evaluate(`axe.run(${context}, { preload: false }).then(({ violations }) =>
    violations.map(({ id, nodes }) => id + ': ' + nodes.map(({ target }) => target).join(', ')))`);
}
