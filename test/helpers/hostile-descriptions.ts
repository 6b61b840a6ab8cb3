// Generates descriptions that no sensible server would send.
import fc from 'fast-check';
import type { Raw } from './describe-api.ts';

/** Names that are hard on maps, on GraphQL, or on each other. */
export const HOSTILE_NAMES: readonly string[] = [
  'x\ud800',
  '__proto__',
  'constructor',
  'toString',
  'hasOwnProperty',
  'query',
  'Query',
  'mutation',
  'type',
  'null',
  'true',
  '',
  ' ',
  'a b',
  'shelf.book',
  'book#index',
  'a-b',
  'a_b',
  'aB',
  'A_B',
  '_a',
  '__a',
  '1st',
  'žluťoučký',
  '日本',
  '😀',
  '\u0000',
  'x'.repeat(300),
  'id',
  'Id',
  'ID',
  'label',
  'limit',
  'from_id',
  'first',
  'after',
  'filter',
  'input',
  'wait',
  'node',
  'nodes',
  'Node',
  'PageInfo',
  'Int',
  'session',
  'user_errors',
  'action_state',
  'database_id',
];

const PLAIN_NAMES = ['shelf', 'book', 'author', 'title', 'pages', 'owner'];
const name = fc.constantFrom(...PLAIN_NAMES, ...HOSTILE_NAMES);
const junk = fc.constantFrom<unknown>(null, 0, -1, 1e300, true, 'x', '', [], {}, [null], ['x'], { x: {} });
const orJunk = <T>(arbitrary: fc.Arbitrary<T>): fc.Arbitrary<unknown> =>
  fc.oneof({ weight: 20, arbitrary }, { weight: 1, arbitrary: junk });

/** A map with such keys; `__proto__` is an own key, as in parsed JSON. */
const mapOf = (value: fc.Arbitrary<unknown>, maxLength = 5, key = name): fc.Arbitrary<Raw> =>
  fc.array(fc.tuple(key, value), { maxLength }).map((entries) => Object.fromEntries(entries));

const validators = mapOf(
  orJunk(
    fc.oneof(
      fc.record({ values: fc.oneof(fc.array(name), mapOf(name), junk) }),
      fc.record({ rx: fc.constantFrom('(', '^a+$', '(a+)+$', '[', '\\p{L}', '(?<=a)b') }),
      fc.record({ min: junk, max: junk, equals: junk, step: junk, parameter: name, value: junk }),
    ),
  ),
  2,
  fc.constantFrom(
    'include',
    'exclude',
    'format',
    'length',
    'number',
    'confirm',
    'accept',
    'present',
    'custom',
  ),
);

const parameter = orJunk(
  fc.record({
    type: orJunk(
      fc.constantFrom(
        'String',
        'Text',
        'Boolean',
        'Integer',
        'Float',
        'Datetime',
        'Custom',
        'Resource',
        'Query',
      ),
    ),
    resource: orJunk(fc.array(name, { minLength: 1, maxLength: 2 })),
    value_id: orJunk(fc.oneof(fc.constant('id'), name)),
    value_label: orJunk(name),
    required: fc.boolean(),
    nullable: orJunk(fc.boolean()),
    default: junk,
    label: orJunk(name),
    description: orJunk(fc.constantFrom('"""', '\\', '#', 'a\nb', '\u2028')),
    validators: orJunk(validators),
  }),
);

const shape = orJunk(
  fc.record({
    layout: orJunk(fc.constantFrom('object', 'object_list', 'hash', 'hash_list')),
    namespace: orJunk(fc.oneof(name, fc.constant(null))),
    parameters: orJunk(mapOf(parameter)),
  }),
);

const actionOf = (own: string, parents: readonly string[]): fc.Arbitrary<unknown> =>
  orJunk(
    fc.record({
      auth: fc.boolean(),
      blocking: fc.boolean(),
      method: orJunk(fc.constantFrom('GET', 'GET', 'GET', 'POST', 'PUT', 'DELETE', 'query')),
      path: orJunk(
        fc.constantFrom(
          `/${own}`,
          `/${own}/{${own}_id}`,
          `/${own}/{id}`,
          `/p/{${parents.at(-1)}_id}/${own}/{${own}_id}`,
          `/p/{${parents.at(-1)}_id}/${own}`,
          '/x/{__proto__}/{}',
          '/{a}/{a}',
          '//evil',
          '/../x',
          'http://evil/',
        ),
      ),
      input: fc.oneof(shape, fc.constant(null)),
      output: fc.oneof({ weight: 4, arbitrary: shape }, { weight: 1, arbitrary: fc.constant(null) }),
      aliases: junk,
      description: orJunk(name),
      meta: orJunk(
        mapOf(
          mapOf(
            fc.record({ parameters: mapOf(parameter, 2, fc.constantFrom('count', 'includes')) }),
            1,
            fc.constant('input'),
          ),
          1,
          fc.constant('global'),
        ),
      ),
    }),
  );

const ACTIONS = ['index', 'show', 'create', 'update', 'delete', 'poll', 'request', ...HOSTILE_NAMES];

const resourcesOf = (parents: readonly string[]): fc.Arbitrary<Raw> =>
  fc
    .array(
      name.chain((own) =>
        fc.tuple(
          fc.constant(own),
          orJunk(
            fc.record({
              description: orJunk(name),
              actions: orJunk(mapOf(actionOf(own, parents), 4, fc.constantFrom(...ACTIONS))),
              resources: orJunk(
                parents.length < 2
                  ? fc.oneof({ depthSize: 'small' }, fc.constant({}), resourcesOf([...parents, own]))
                  : fc.constant({}),
              ),
            }),
          ),
        ),
      ),
      { maxLength: 5 },
    )
    .map((entries) => Object.fromEntries(entries));

const authentication = fc.record({
  basic: fc.constant({}),
  token: orJunk(
    fc.record({
      http_header: orJunk(
        fc.constantFrom('X-Token', 'Host', 'Cookie', '', 'X Y', 'Content-Length', 'Ž', 'Authorization'),
      ),
      resources: orJunk(resourcesOf([])),
    }),
  ),
  oauth2: junk,
});

/** Descriptions as a server would send them, parsed from JSON. */
export const hostileDescription: fc.Arbitrary<Raw> = fc
  .record({
    authentication: orJunk(authentication),
    resources: fc.oneof({ weight: 30, arbitrary: resourcesOf([]) }, { weight: 1, arbitrary: junk }),
    meta: orJunk(fc.constantFrom({ namespace: '_meta' }, { namespace: '__proto__' }, {})),
  })
  .map((raw) => JSON.parse(JSON.stringify(raw)) as Raw);
