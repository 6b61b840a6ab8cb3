// Makes the description of a large made-up API from the lines of `harbour.txt`.
import { readFileSync } from 'node:fs';
import { type Raw, refersTo } from '../../helpers/describe-api.ts';

/** Parameters by name. */
type Parameters = Readonly<Record<string, Raw>>;

interface Resource {
  description: string;
  actions: Record<string, Raw>;
  resources: Record<string, Resource>;
}

/** The API's resources, as the API describes them. */
export function readHarbour(): Raw {
  const text = readFileSync(new URL('harbour.txt', import.meta.url), 'utf8')
    .replace(/^#.*\n|^\n/gm, '')
    .trimEnd();
  const root: Resource = { description: '', actions: {}, resources: {} };
  for (const block of text.split(/\n(?=\S)/)) for (const one of expand(block)) addResource(root, one);
  return root.resources;
}

/** One block for each name in braces. */
function expand(block: string): readonly string[] {
  const [, names] = /^\{(.*?)\}/.exec(block) ?? [];
  if (names === undefined) return [block];
  return names
    .split(',')
    .map((name) => block.replace(/^\{.*?\}/, name).replaceAll('%', name))
    .map((one) => one.replace(/^(\w+) \1 /, '$1 $1s '));
}

function addResource(root: Resource, block: string): void {
  const [head = '', ...lines] = block.split('\n').map((line) => line.trim());
  const { words, label: description } = readParts(head);
  const [dotted = '', plural = '', letters = ''] = words;
  const path = dotted.split('.');
  let place = root;
  for (const name of path) place = place.resources[name] ??= { description: '', actions: {}, resources: {} };
  place.description = description;
  const name = path.at(-1) ?? '';
  const isSingle = plural === '-';
  const parents = path.slice(0, -1).map((parent) => `/${parent}s/{${parent}_id}`);
  const many = `${parents.join('')}/${isSingle ? name : plural}`;
  const one = isSingle ? many : `${many}/{${name}_id}`;
  const start = lines.findIndex((line) => line.startsWith('@'));
  const described = start === -1 ? lines : lines.slice(0, start);
  const id = isSingle ? {} : { id: parameterOf('Integer', 'ID') };
  const output = { ...id, ...readParameters(described, (flags) => !flags.includes('!')) };
  const input = readParameters(described, (flags) => !/[!=]/.test(flags));
  const filters = readParameters(described, (flags) => /[?!]/.test(flags));
  const crud: Readonly<Record<string, readonly [string, Raw]>> = {
    i: ['index', actionOf('GET', many, `List ${plural}`, name, filters, output, plural)],
    s: ['show', actionOf('GET', one, `Show ${name}`, name, {}, output)],
    c: ['create', actionOf('POST', many, `Create ${name}`, name, input, output)],
    u: ['update', actionOf('PUT', one, `Update ${name}`, name, input, output)],
    d: ['delete', actionOf('DELETE', one, `Delete ${name}`, name, {}, {})],
  };
  for (const letter of letters) {
    const [action, raw] = crud[letter] ?? [];
    if (action === undefined || raw === undefined) continue;
    place.actions[action] = raw;
  }
  if (start === -1) return;
  for (const lined of lines
    .slice(start)
    .join('\n')
    .split(/\n(?=@)/)) {
    const [first = '', ...more] = lined.split('\n');
    const { words: said, label } = readParts(first.slice(1));
    const [action = '', method = '', ...flags] = said;
    const inputs = more.filter((line) => line.startsWith('>')).map((line) => line.slice(1));
    const outputs = more.filter((line) => line.startsWith('<')).map((line) => line.slice(1));
    place.actions[action] = {
      ...actionOf(
        ...([method, `${one}/${action}`, label, name] as const),
        ...([readParameters(inputs), readParameters(outputs)] as const),
        flags.includes('list') ? `${name}s` : null,
      ),
      blocking: flags.includes('blocking'),
    };
  }
}

/** Splits `WORDS; LABEL; DESCRIPTION`. */
function readParts(line: string) {
  const [words = '', label = '', description = null] = line.split('; ');
  return { words: words.split(' '), label, description };
}

function readParameters(
  lines: readonly string[],
  isWanted: (flags: string) => boolean = () => true,
): Parameters {
  return Object.fromEntries(
    lines.flatMap((line) => {
      const { words, label, description } = readParts(line);
      const [name = '', type = '', flags = ''] = words;
      return isWanted(flags) ? [[name, parameterOf(type, label, description)]] : [];
    }),
  );
}

function parameterOf(type: string, label: string, description: string | null = null): Raw {
  const common = { label, description, validators: {}, default: null, protected: false };
  const [, resource, text] = /^>(\w+):(\w+)$/.exec(type) ?? [];
  if (resource !== undefined) return { ...refersTo([resource], text), ...common };
  if (!type.includes('|')) return { ...common, type };
  return { ...common, type: 'String', validators: { include: { values: type.split('|') } } };
}

/** @param plural The namespace of a list; null for an object. */
function actionOf(
  ...[method, path, description, name, input, output, plural = null]: readonly [
    method: string,
    path: string,
    description: string,
    name: string,
    input: Parameters,
    output: Parameters,
    plural?: string | null,
  ]
): Raw {
  const hasInput = Object.keys(input).length > 0;
  const hasOutput = Object.keys(output).length > 0;
  const layout = plural === null ? 'object' : 'object_list';
  return {
    ...{ auth: true, description, aliases: [], blocking: false, method, path },
    input: hasInput ? { layout: 'object', namespace: name, parameters: input } : null,
    output: hasOutput ? { layout, namespace: plural ?? name, parameters: output } : null,
    meta: { object: null, global: { input: null, output: null } },
  };
}
