// Writes the generated files: the sandbox's schema, the schema of configuration files, the version, and the tables
// and examples in the documents: a table stands between `<!-- generated: its name -->` and `<!-- end -->`.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { z } from 'zod';
import { createCatalog } from './packages/docs-site/src/catalog/create-catalog.ts';
import { createGuideExamples, type GuideExamples } from './packages/docs-site/src/examples/guide-examples.ts';
import { listenSandbox } from './packages/sandbox/src/listen-sandbox.ts';
import { listenSnippets } from './packages/sandbox/src/snippets/listen-snippets.ts';
import { serveSettings } from './src/config/serve-settings.ts';
import { describeDefault, PREFIX, type Setting, settingsOf } from './src/config/setting.ts';
import { createFacade } from './src/facade/facade.ts';
import { WARNING_CODES } from './src/loaders/errors.ts';
import { createLog } from './src/log.ts';
import { auditLine } from './src/plugins/audit/audit.ts';
import { printSDL } from './src/schema/print-schema.ts';
import type { ServedSchema } from './src/schema/registry.ts';
import { USER_ERROR_CODES } from './src/schema/resolve/field-errors.ts';
import { ERROR_CODES } from './src/server/errors.ts';
import { readAuthorization } from './src/upstream/http/caller.ts';

const DOCUMENTS = new URL('./docs/', import.meta.url);

/** The sandbox's schema, as its administrator sees it, with its snippet service. */
async function readSandboxSchema(): Promise<ServedSchema> {
  await using sandbox = await listenSandbox();
  await using snippets = await listenSnippets();
  await using facade = await createFacade({
    upstream: new URL(sandbox.url),
    descriptionCredential: readAuthorization(`Basic ${Buffer.from('admin:sandbox').toString('base64')}`),
    snippets: { url: new URL(snippets.url) },
    log: createLog((line) => process.stderr.write(line)),
  });
  return facade.schema;
}

/** The module with the version of the package. */
function printVersion(): string {
  const { version } = JSON.parse(readFileSync(new URL('./package.json', import.meta.url), 'utf8'));
  return `// The version of the package, written by \`npm run codegen\`.

/** The version in package.json. */
export const VERSION = '${version}';
`;
}

/** The JSON Schema of configuration files, for editors. */
export function printConfigSchema(): string {
  const schema = {
    title: 'Settings of optiongraph serve',
    ...z.toJSONSchema(serveSettings, { io: 'input' }),
  };
  return `${JSON.stringify(schema, null, 2)}\n`;
}

/** The JSON Schema of the lines of the audit. */
export function printAuditSchema(): string {
  const schema = { title: 'A line of the audit of optiongraph serve', ...z.toJSONSchema(auditLine) };
  return `${JSON.stringify(schema, null, 2)}\n`;
}

/** The generated tables of the documents, by the names of their markers. */
function printTables(): Readonly<Record<string, string>> {
  const serve = settingsOf(serveSettings);
  return {
    'settings of serve': settingsTables(serve),
    'error codes': table(
      ['code', 'HTTP status without data', 'meaning'],
      Object.entries(ERROR_CODES).map(([code, { meaning, retryable, status }]) => [
        `\`${code}\``,
        retryable ? `${status}, retryable` : `${status}`,
        meaning,
      ]),
    ),
    'user error codes': table(
      ['code', 'meaning'],
      Object.entries(USER_ERROR_CODES).map(([code, meaning]) => [`\`${code}\``, meaning]),
    ),
    'warning codes': table(
      ['code', 'meaning'],
      Object.entries(WARNING_CODES).map(([code, meaning]) => [`\`${code}\``, meaning]),
    ),
  };
}

/** A document, with all generated tables that it has markers for. */
export const printDocument = (text: string): string =>
  Object.entries(printTables()).reduce(
    (document, [name, table]) =>
      document.replace(
        new RegExp(`(<!-- generated: ${name} -->\n).*?(<!-- end -->)`, 's'),
        (_all, begin: string, end: string) => `${begin}\n${table}\n${end}`,
      ),
    text,
  );

/** A table of the settings of each group. */
const settingsTables = (settings: readonly Setting[]): string =>
  [...new Set(settings.map(({ title }) => title))]
    .map((title) => {
      const rows = settings
        .filter((setting) => setting.title === title)
        .map((setting) => [namesOf(setting), describeDefault(setting), setting.help]);
      const head = ['setting, flag, variable', 'default', 'meaning'];
      return `${title === null ? '' : `### ${title}\n\n`}${table(head, rows)}\n`;
    })
    .join('\n');

/** The key and flag of a setting, and its variable where that does not follow from them. */
const namesOf = ({ key, flag, variable }: Setting): string =>
  [key, flag, variable?.startsWith(PREFIX) ? null : variable]
    .flatMap((name) => (name === null ? [] : [`\`${name}\``]))
    .join(', ');

const table = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  [
    `| ${head.join(' | ')} |`,
    `|${'---|'.repeat(head.length)}`,
    ...rows.map((cells) => `| ${cells.join(' | ')} |`),
  ].join('\n');

/** A page of the guide with examples from a schema. @throws TypeError when the schema has none of a kind. */
const printGuide = (text: string, examples: GuideExamples): string =>
  text.replace(/(?<=^```graphql example=(\w+)\n).*?(?=^```$)/gms, (_all, kind: string) => {
    const example = examples.get(kind);
    if (example === undefined) throw new TypeError(`the sandbox has no example ${kind} for docs/guide`);
    return example;
  });

/** The documents that contain generated tables or examples. */
export const listDocuments = (): readonly URL[] =>
  readdirSync(DOCUMENTS, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.md'))
    .map((file) => new URL(file, DOCUMENTS));

/** The generated files and their contents. */
export async function generate(): Promise<ReadonlyMap<URL, string>> {
  const served = await readSandboxSchema();
  const examples = createGuideExamples(createCatalog(served));
  const print = (text: string): string => printGuide(printDocument(text), examples);
  return new Map([
    [new URL('./schema.graphql', import.meta.url), printSDL(served.schema)],
    [new URL('./config.schema.json', import.meta.url), printConfigSchema()],
    [new URL('./audit.schema.json', import.meta.url), printAuditSchema()],
    [new URL('./src/upstream/version.ts', import.meta.url), printVersion()],
    ...listDocuments().map((page) => [page, print(readFileSync(page, 'utf8'))] as const),
  ]);
}

if (process.argv[1] === import.meta.filename) {
  for (const [file, text] of await generate()) writeFileSync(file, text);
}
