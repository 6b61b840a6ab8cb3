// Makes a static site about the GraphQL schema of an API.
import { createCatalog, type DescribedSchema } from './catalog/create-catalog.ts';
import { createGuideExamples } from './examples/guide-examples.ts';
import { commonPage } from './pages/common-page.ts';
import { guidePage } from './pages/guide-page.ts';
import { homePage } from './pages/home-page.ts';
import { renderPage, type SiteFrame } from './pages/layout.ts';
import { resourcePage } from './pages/resource-page.ts';
import { searchEntries, searchScript } from './search/search-entries.ts';
import { COPIED, readBuilt, readGuide } from './site-files.ts';

/** What a site says of its API beside what the API describes. */
export type SiteFacts = Pick<SiteFrame, 'title' | 'caller' | 'server'>;

/** The contents of files by their names. All are in one folder. */
export type SiteFiles = ReadonlyMap<string, string | Buffer>;

/**
 * Makes the files of a site. The same input and facts give the same files.
 * @param folder Where the build has written the guide, the script and the styles.
 */
export function createSite(served: DescribedSchema, facts: SiteFacts, folder: URL): SiteFiles {
  const catalog = createCatalog(served);
  const guide = readGuide(folder);
  const frame: SiteFrame = { ...facts, guide, resources: catalog.resources };
  const examples = createGuideExamples(catalog);
  const pages = [
    homePage(frame, catalog),
    ...guide.map((page) => guidePage(page, examples)),
    ...catalog.resources.map((resource) => resourcePage(resource, catalog, facts.server)),
    commonPage(catalog, facts.server),
  ];
  return new Map<string, string | Buffer>([
    ...pages.map((page) => [page.file, renderPage(frame, page)] as const),
    ['search-entries.js', searchScript(searchEntries(catalog, guide))],
    ...COPIED.map((name) => [name, readBuilt(folder, name)] as const),
  ]);
}
