// Tests that the source of the facade names no single API, and that its files are short.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { describe, expect, it } from 'vitest';
import { listenSandbox } from '../../packages/sandbox/src/listen-sandbox.ts';

const SRC = new URL('../../src/', import.meta.url).pathname;
const REFERENCE = new URL('../../../shared/data/reference-description-user.json', import.meta.url);

const sources = readdirSync(SRC, { recursive: true, encoding: 'utf8' }).filter((file) =>
  /\.tsx?$/.test(file),
);
/** All but cli, which starts the sandbox, and the one file with facts about a single API. */
const neutral = sources.filter((file) => !/^cli\/|^facade\/built-in-overrides\.ts$/.test(file));

interface Described {
  readonly resources?: Record<string, Described>;
  readonly actions?: Record<string, { input?: Shape | null; output?: Shape | null }>;
}
interface Shape {
  readonly parameters?: Record<string, unknown>;
}

/** What the protocol itself names, or what is plain English or another field's term. */
const ALLOWED = new Set(
  [
    'action_state token cluster node user component export mount pool environment location plan history item test',
    'project task id label name description type value status message path limit offset from_id count order from to',
    'index show create update delete list new find request renew revoke current total unit finished state size',
    'lock reason min max sync used password scope interval code address content comment enabled role level info',
    'created_at updated_at email host key object result run fail slow echo data version debug',
    'compression source property parent format mode can_cancel cancel timeout update_in complete memory port resource attribute s t i f b dt done poll hostname search login class_name',
  ].flatMap((line) => line.split(' ')),
);

function namesOf(described: Described, own: string[] = []): string[] {
  for (const [name, resource] of Object.entries(described.resources ?? {})) {
    own.push(name);
    for (const [action, { input, output }] of Object.entries(resource.actions ?? {})) {
      own.push(action, ...Object.keys(input?.parameters ?? {}), ...Object.keys(output?.parameters ?? {}));
    }
    namesOf(resource, own);
  }
  return own;
}

function expectNeutral(described: Described): void {
  const names = [...new Set(namesOf(described))].filter(
    (name) => !ALLOWED.has(name) && !/^[a-z]{1,3}$/.test(name),
  );
  expect(names.length).toBeGreaterThan(3);
  // A name counts as a word of its own, as a literal, or in camel case.
  const forms = names.flatMap((name) => [
    name,
    name.replace(/_([a-z])/g, (_match, letter: string) => letter.toUpperCase()),
  ]);
  const pattern = new RegExp(`\\b(${forms.join('|')})\\b`);
  const found = neutral.flatMap((file) =>
    readFileSync(join(SRC, file), 'utf8')
      .split('\n')
      .flatMap((line, index) => {
        const match = pattern.exec(line);
        return match === null ? [] : [`${relative('.', file)}:${index + 1} ${match[0]}`];
      }),
  );
  expect(found).toEqual([]);
}

describe('the facade’s source', () => {
  it('names nothing of the sandbox’s API', async () => {
    await using sandbox = await listenSandbox();
    const response = await fetch(`${sandbox.url}/?describe=default`, { method: 'OPTIONS' });
    expectNeutral(((await response.json()) as { response: Described }).response);
  });

  it.skipIf(!existsSync(REFERENCE))('names nothing of the reference server’s API', () => {
    const { response } = JSON.parse(readFileSync(REFERENCE, 'utf8')) as {
      response: { versions: { default: Described } };
    };
    expectNeutral(response.versions.default);
  });

  it('keeps its files short', () => {
    const long = sources
      .map((file) => [file, readFileSync(join(SRC, file), 'utf8').split('\n').length] as const)
      .filter(([, lines]) => lines > 301);
    expect(long).toEqual([]);
  });
});
