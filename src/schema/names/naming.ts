/** Names that are the facade's own: one of the upstream's that falls on them gets the suffix `Resource`. */
export interface ReservedNames {
  readonly types: ReadonlySet<string>;
  /** Of fields of `Query`. */
  readonly queries: ReadonlySet<string>;
  /** Of fields of `Mutation`. */
  readonly mutations: ReadonlySet<string>;
}

const OWN_TYPES = [
  'Node',
  'PageInfo',
  'Query',
  'Mutation',
  'Subscription',
  'UserError',
  'ActionState',
  'ActionOutcome',
  'CallerSession',
  'SessionMethod',
  'String',
  'Int',
  'Float',
  'Boolean',
  'ID',
  'SafeInt',
  'DateTime',
  'JSON',
];

/** What is reserved in every schema. */
const RESERVED = reserveNames([]);

/** The names that are reserved in every schema, and those of its extensions. */
export function reserveNames(
  extensions: readonly { readonly [K in keyof ReservedNames]: readonly string[] }[],
): ReservedNames {
  return {
    types: new Set([...OWN_TYPES, ...extensions.flatMap(({ types }) => types)]),
    queries: new Set(['node', 'nodes', 'session', ...extensions.flatMap(({ queries }) => queries)]),
    mutations: new Set(extensions.flatMap(({ mutations }) => mutations)),
  };
}

/** Whether a type's name is the facade's own in every schema. */
export const isReservedTypeName = (name: string): boolean => RESERVED.types.has(name);

/** The protocol's own resource, whose type is the facade's `ActionState`. */
export const ACTION_STATE = 'action_state';

/** A type's name: the path in PascalCase, e.g. `ShelfBook`. */
export function typeNameOf(path: readonly string[], reserved = RESERVED): string {
  const name = pascalCase(path.join('_'));
  return path.join('.') === ACTION_STATE ? name : avoidReserved(name, reserved);
}

/** The name of a type that is not the facade's own; one that falls on such a name gets the suffix `Resource`. */
export function avoidReserved(name: string, { types } = RESERVED): string {
  return types.has(name) ? `${name}Resource` : name;
}

/** The name of the deeper of two paths that fall on one type name, e.g. `Shelf_Book`. */
export function clashingTypeName(path: readonly string[]): string {
  return path.map(pascalCase).join('_');
}

/** A field's, argument's or input field's name, e.g. `createdAt`. */
export function fieldNameOf(...parts: readonly string[]): string {
  return escapeName(camelCase(parts.join('_')));
}

/** A root field's name; one that falls on the facade's own gets the suffix `Resource`. */
export function queryNameOf(name: string, { queries } = RESERVED): string {
  return queries.has(name) ? `${name}Resource` : name;
}

/** A mutation's name; one that falls on the facade's own gets the suffix `Resource`. */
export function mutationNameOf(name: string, { mutations } = RESERVED): string {
  return mutations.has(name) ? `${name}Resource` : name;
}

/** The name of a list of a resource. One that equals the singular is told apart by `List`. */
export function listNameOf(plural: string, singular: string): string {
  return plural === singular ? `${plural}List` : plural;
}

/** A root list's name; the plural of `nodeResource` is `nodeResources`. */
export function queryListNameOf(plural: string, singular: string, { queries } = RESERVED): string {
  if (queries.has(plural)) return `${singular}Resources`;
  return listNameOf(plural, singular);
}

/** The name of an enum value: upper case, other characters `_`; null when the value has no character for a name. */
export function enumValueNameOf(value: string): string | null {
  const name = value.toUpperCase().replace(/[^A-Z0-9_]/g, '_');
  if (!/[A-Z0-9]/.test(name)) return null;
  return escapeName(name);
}

/** The first letter in lower case, e.g. a type's name as the start of a field's. */
export function lowerFirst(name: string): string {
  return name.charAt(0).toLowerCase() + name.slice(1);
}

function pascalCase(name: string): string {
  const camel = camelCase(name);
  return escapeName(camel.charAt(0).toUpperCase() + camel.slice(1));
}

function camelCase(name: string): string {
  const [lead = ''] = /^_*/.exec(name) ?? [];
  const [head = '', ...tail] = name
    .slice(lead.length)
    .split(/_+/)
    .filter((word) => word !== '');
  return lead + head.charAt(0).toLowerCase() + head.slice(1) + tail.map(capital).join('');
}

const capital = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1);

/**
 * Makes a name that GraphQL and JavaScript can carry, the same way every time: other characters become `_` with their
 * hexadecimal code and `_`, a leading digit gets `_` before it, `__` at the start (introspection's own) an `x`, and a
 * member that every JavaScript object has a `_` behind it.
 */
function escapeName(name: string): string {
  const plain = name.replace(/[^A-Za-z0-9_]/gu, (char) => `_${char.codePointAt(0)?.toString(16)}_`);
  if (plain === '') return '_';
  if (/^[0-9]/.test(plain)) return `_${plain}`;
  if (plain.startsWith('__')) return `x${plain}`;
  return plain in Object.prototype ? `${plain}_` : plain;
}
