// The command `docs`: writes a static site about a caller's schema.
import { createSite } from '@optiongraph/docs-site';
import { EXIT_CODES } from '../../exit-codes.ts';
import { SITE_FOLDER } from '../../site-folder.ts';
import type { CallerConfig } from '../caller-settings.ts';
import { openApi } from '../open-api.ts';
import { note } from '../output.ts';
import { siteInput } from './site-input.ts';
import { checkTarget, writeFolder } from './write-folder.ts';

/** The command's own options. */
export interface DocsOptions {
  readonly out: string;
  readonly title?: string;
  readonly server?: URL;
}

/** Makes the whole site before anything is written. */
export async function writeDocs(config: CallerConfig, { out, title, server }: DocsOptions): Promise<number> {
  const target = checkTarget(out);
  await using api = await openApi(config);
  const { data } = await api.ask({ query: '{ session { authenticated } }' });
  const isSignedIn = Object(data?.['session']).authenticated === true;
  const facts = {
    title: title ?? config.upstream.url?.host ?? 'Sandbox',
    caller: isSignedIn ? 'a signed-in caller' : 'an anonymous caller',
    server: server ?? null,
  };
  const files = createSite(siteInput(api.served), facts, SITE_FOLDER);
  writeFolder(target, files);
  note(`${files.size} files are in ${out}. Open index.html there.`);
  return EXIT_CODES.ok;
}
