// Reads the folders that `optiongraph docs` writes.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The pages of a site by their file names. */
export const readPages = (folder: string): ReadonlyMap<string, string> =>
  new Map(
    readdirSync(folder)
      .filter((name) => name.endsWith('.html'))
      .map((name) => [name, readFileSync(join(folder, name), 'utf8')]),
  );

const valuesOf = (page: string, attribute: string): readonly string[] =>
  [...page.matchAll(new RegExp(` ${attribute}="([^"]*)"`, 'g'))].map(([, value = '']) => value);

/** What is wrong with the links of pages: those that lead nowhere, and ids that a page has twice. */
export function findBadLinks(pages: ReadonlyMap<string, string>): readonly string[] {
  const ids = new Map([...pages].map(([name, page]) => [name, valuesOf(page, 'id')]));
  return [...pages].flatMap(([name, page]) => {
    const own = ids.get(name) ?? [];
    const repeated = own.filter((id, index) => own.indexOf(id) !== index).map((id) => `${name} #${id} twice`);
    const dead = [...valuesOf(page, 'href'), ...valuesOf(page, 'src')].filter((link) => {
      const [path = '', id] = link.split('#');
      if (/^https?:/.test(link) || /\.(css|js|svg)$/.test(path)) return false;
      const target = ids.get(path || name);
      return target === undefined || (id !== undefined && !target.includes(id));
    });
    return [...repeated, ...dead.map((link) => `${name} → ${link}`)];
  });
}
