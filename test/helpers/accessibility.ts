// Finds what keeps people with disabilities from using a page.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/**
 * The rules that a page breaks, each with the elements at fault.
 * @param exclude Selectors of parts that are left out.
 */
export async function findBarriers(
  page: Page,
  exclude: readonly (readonly string[])[] = [],
): Promise<readonly string[]> {
  await page.evaluate(AXE);
  // The policy of a page may forbid to fetch its styles again.
  return page.evaluate(`axe.run({ exclude: ${JSON.stringify(exclude)} }, { preload: false }).then(({ violations }) =>
    violations.map(({ id, nodes }) => id + ': ' + nodes.map(({ target }) => target).join(', ')))`);
}
