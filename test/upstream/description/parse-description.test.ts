// Tests the parser of descriptions.
import { describe, expect, test } from 'vitest';
import { parseDescription } from '../../../src/upstream/description/parse-description.ts';
import { DescriptionError } from '../../../src/upstream/errors.ts';
import { action, describeApi, refersTo, resource } from '../../helpers/describe-api.ts';

const show = action({ path: '/books/{book_id}', namespace: 'book', output: { id: 'Integer' } });

const FOREIGN = "is not a plain path on the API's own origin";

/** Parses a description with one action. Returns the action and the findings. */
function parseAction(raw: unknown) {
  const { resources, findings } = parseDescription(describeApi({ book: resource({ show: raw }) }));
  return { action: resources[0]?.actions[0], findings };
}

/** Parses a description with one input parameter. Returns the parameter and the findings. */
function parseParameter(raw: unknown) {
  const input = { layout: 'object', namespace: 'book', parameters: { title: raw } };
  const { action: parsed, findings } = parseAction({ ...show, input });
  return { parameter: parsed?.input.parameters[0], findings };
}

describe('a value that is not a description', () => {
  test.each([
    [null, 'got null'],
    ['x', 'got a string'],
    [[], 'got a list'],
    [{}, 'got an object without one'],
    [{ resources: [] }, 'got an object without one'],
    [{ resources: null }, 'got an object without one'],
  ])('is refused: %j', (raw, reason) => {
    expect(() => parseDescription(raw)).toThrow(DescriptionError);
    expect(() => parseDescription(raw)).toThrow(`Expected a description with a map of resources, ${reason}.`);
  });
});

describe('a description', () => {
  test('may omit authentication and metadata', () => {
    const description = parseDescription({ resources: {} });
    expect(description).toEqual({
      authentication: { basic: false, token: null, oauth2: null },
      resources: [],
      metaNamespace: '_meta',
      findings: [],
    });
  });

  test('contains the key of metadata', () => {
    expect(parseDescription({ resources: {}, meta: { namespace: 'extra' } }).metaNamespace).toBe('extra');
  });

  test('may have unknown keys everywhere', () => {
    const more = { newer: { deep: [1] } };
    const input = {
      ...more,
      layout: 'object',
      namespace: 'book',
      parameters: { title: { type: 'String', ...more } },
    };
    const { resources, findings } = parseDescription({
      ...more,
      resources: { book: { ...more, actions: { create: { ...show, ...more, input } }, resources: {} } },
    });
    expect(findings).toEqual([]);
    expect(resources[0]?.actions[0]?.input.parameters[0]?.name).toBe('title');
  });

  test('may contain empty lists in place of empty maps', () => {
    const empty = { layout: 'hash', namespace: null, parameters: [] };
    const { resources, findings } = parseDescription({
      resources: {
        book: { actions: { show: { ...show, input: empty } }, resources: [] },
        shelf: { actions: [] },
      },
    });
    expect(findings).toEqual([]);
    expect(resources.map(({ actions }) => actions.length)).toEqual([1, 0]);
  });
});

describe('a malformed part', () => {
  test('is omitted, and its siblings are kept: a resource', () => {
    const { resources, findings } = parseDescription(
      describeApi({ shelf: null, room: 'x', book: resource({ show }, { page: [] }) }),
    );
    expect(resources.map(({ name }) => name)).toEqual(['book']);
    expect(findings).toEqual([
      { code: 'RESOURCE_MALFORMED', path: 'shelf', reason: 'expected an object, got null; left out' },
      { code: 'RESOURCE_MALFORMED', path: 'room', reason: 'expected an object, got a string; left out' },
      { code: 'RESOURCE_MALFORMED', path: 'book.page', reason: 'expected an object, got a list; left out' },
    ]);
  });

  test.each<[string, unknown, string]>([
    ['an action', 7, 'expected an object, got a number'],
    ['a method', { ...show, method: undefined }, 'it has no HTTP method'],
    ['a method', { ...show, method: 'GET /x' }, 'it has no HTTP method'],
    ['a path', { ...show, path: undefined }, 'it has no path'],
    ['an input', { ...show, input: 'x' }, 'its input or output has no known layout'],
    ['a layout', { ...show, output: { layout: 'tree' } }, 'its input or output has no known layout'],
    ['a foreign path', { ...show, path: 'https://evil/books' }, `its path "https://evil/books" ${FOREIGN}`],
    ['a foreign path', { ...show, path: '//evil.example' }, `its path "//evil.example" ${FOREIGN}`],
  ])('is omitted while the rest stays: %s', (_piece, raw, reason) => {
    const { action: parsed, findings } = parseAction(raw);
    expect(parsed).toBeUndefined();
    expect(findings).toEqual([
      { code: 'ACTION_MALFORMED', path: 'book#show', reason: `${reason}; left out` },
    ]);
  });

  test.each<[unknown, string]>([
    [null, 'expected an object, got null'],
    ['String', 'expected an object, got a string'],
    [{ type: 'Resource' }, 'an association without the path of a resource'],
    [{ type: 'Resource', resource: [] }, 'an association without the path of a resource'],
    [{ type: 'Resource', resource: [1] }, 'an association without the path of a resource'],
  ])('is omitted while the rest stays: a parameter %j', (raw, reason) => {
    const { parameter, findings } = parseParameter(raw);
    expect(parameter).toBeUndefined();
    expect(findings).toEqual([
      { code: 'PARAMETER_MALFORMED', path: 'book#show input.title', reason: `${reason}; left out` },
    ]);
  });

  test.each<[string, unknown, string]>([
    ['accept', {}, 'expected a key value'],
    ['confirm', {}, 'expected the name of a parameter'],
    ['include', { values: 3 }, 'expected values to be a list or a map, got a number'],
    ['exclude', { values: {} }, 'expected values to be a list, got an object'],
    ['format', { rx: null }, 'expected rx to be a regular expression, got null'],
    ['length', { min: '3' }, 'expected numbers as bounds'],
    ['number', { step: true }, 'expected numbers as conditions'],
    ['present', true, 'expected an object, got a boolean'],
    ['rhyme', {}, 'a validator that the protocol does not know'],
    ['constructor', {}, 'a validator that the protocol does not know'],
  ])('is omitted while the rest stays: a validator %s', (name, rule, reason) => {
    const { parameter, findings } = parseParameter({
      type: 'String',
      validators: { [name]: rule, exclude: name === 'exclude' ? rule : { values: [1], message: 'm' } },
    });
    expect(findings).toEqual([
      {
        code: 'VALIDATOR_MALFORMED',
        path: `book#show input.title.validators.${name}`,
        reason: `${reason}; left to the server`,
      },
    ]);
    expect(parameter).toMatchObject({
      validators: name === 'exclude' ? {} : { exclude: { values: [1], message: 'm' } },
    });
  });

  test('is omitted and reported: a token method without a header', () => {
    for (const token of [{}, 'x', { http_header: 3 }]) {
      const { authentication, findings } = parseDescription({ resources: {}, authentication: { token } });
      expect(authentication.token).toBeNull();
      expect(findings).toMatchObject([{ code: 'AUTHENTICATION_MALFORMED', path: 'authentication.token' }]);
    }
  });

  test('is not reported when it is null: a token method that is switched off', () => {
    expect(parseDescription({ resources: {}, authentication: { token: null } }).findings).toEqual([]);
  });
});

describe('an action', () => {
  test('may have null as input, output and metadata', () => {
    const nothings = { input: null, output: null, meta: null };
    const { action: parsed } = parseAction({ path: '/x', method: 'get', ...nothings });
    const nothing = { layout: 'hash', namespace: null, parameters: [] };
    expect(parsed).toMatchObject({ method: 'GET', input: nothing, output: nothing });
    expect(parsed?.metaInput.size).toBe(0);
    for (const meta of [
      { global: null },
      { global: { input: null } },
      { global: { input: { parameters: null } } },
    ])
      expect(parseAction({ ...show, meta }).action?.metaInput.size).toBe(0);
  });

  test('has no namespace when it is false or null', () => {
    for (const namespace of [false, null, undefined]) {
      const output = { layout: 'object', namespace, parameters: {} };
      expect(parseAction({ ...show, output }).action?.output.namespace).toBeNull();
    }
  });
});

describe('a parameter', () => {
  test('of an unknown type is served as JSON and reported', () => {
    const { parameter, findings } = parseParameter({ type: 'Colour' });
    expect(parameter?.type).toBe('Custom');
    expect(findings).toEqual([
      {
        code: 'TYPE_UNKNOWN',
        path: 'book#show input.title',
        reason: 'its type "Colour" is unknown to the protocol; served as JSON',
      },
    ]);
    expect(parseParameter({}).findings[0]?.reason).toContain('its type null is unknown');
  });

  test('keeps its default, including false and 0', () => {
    for (const value of [false, 0, '', 'x'])
      expect(parseParameter({ type: 'Custom', default: value }).parameter).toMatchObject({ default: value });
  });

  test('that refers to a resource has the keys of its value, by default id', () => {
    expect(parseParameter(refersTo(['shelf', 'book'], 'title')).parameter).toMatchObject({
      resource: ['shelf', 'book'],
      valueId: 'id',
      valueLabel: 'title',
    });
    const bare = { type: 'Resource', resource: ['shelf'], value: null, choices: null, value_id: null };
    expect(parseParameter(bare).parameter).toMatchObject({ valueId: 'id', valueLabel: 'id' });
  });

  test('has choices from a list or a map', () => {
    const include = (values: unknown) => {
      const validators = { include: { values, message: 'm' } };
      const { parameter } = parseParameter({ type: 'String', validators });
      return parameter?.type === 'Resource' ? undefined : parameter?.validators.include?.values;
    };
    expect(include([1, 'b'])).toEqual([
      { value: 1, label: null },
      { value: 'b', label: null },
    ]);
    expect(include({ lent: 'Lent out', in: null })).toEqual([
      { value: 'lent', label: 'Lent out' },
      { value: 'in', label: null },
    ]);
  });
});
