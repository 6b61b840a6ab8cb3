// A schema whose resolvers fail, are late and return odd values, each time in the same way.
import {
  GraphQLBoolean,
  GraphQLEnumType,
  type GraphQLFieldConfig,
  GraphQLFloat,
  GraphQLID,
  GraphQLInputObjectType,
  GraphQLInt,
  GraphQLInterfaceType,
  GraphQLList,
  type GraphQLNamedType,
  GraphQLNonNull,
  GraphQLObjectType,
  type GraphQLOutputType,
  type GraphQLResolveInfo,
  GraphQLScalarType,
  GraphQLSchema,
  GraphQLString,
  GraphQLUnionType,
  getNamedType,
  isListType,
  isNonNullType,
  responsePathAsArray,
} from 'graphql';

/** What the resolvers of one execution share. */
export class OddContext {
  /** Every call of a resolver, in order. */
  readonly calls: string[] = [];
  readonly #isAsync: boolean;
  readonly #waiting: { readonly order: number; readonly settle: () => void }[] = [];

  /** @param isAsync Whether resolvers may return promises. */
  constructor(isAsync: boolean) {
    this.#isAsync = isAsync;
  }

  /** Returns the value, or throws the error, or does so later. */
  deliver(key: string, value: unknown): unknown {
    const way = hash(`way ${key}`) % 12;
    const isLate = this.#isAsync && hash(`late ${key}`) % 3 === 0;
    const give = (): unknown => {
      if (way === 0) return null;
      if (way === 1) throw new Error(`thrown by ${key}`);
      if (way === 2) return new Error(`returned by ${key}`);
      if (way === 3 && key.length % 3 === 0) throw `a text thrown by ${key}`;
      return value;
    };
    if (!isLate) return give();
    const promise = new Promise((resolve, reject) => {
      const settle = (): void => {
        try {
          resolve(give());
        } catch (error) {
          reject(error);
        }
      };
      this.#waiting.push({ order: hash(`order ${key}`), settle });
    });
    // An item of a list that is not delivered belongs to nobody.
    promise.catch(() => undefined);
    return promise;
  }

  /** Settles the promises of the resolvers one after another, in an order of their own, until `work` has ended. */
  async settleAll<T>(work: Promise<T>): Promise<T> {
    let hasEnded = false;
    const end = (): void => {
      hasEnded = true;
    };
    void work.then(end, end);
    for (;;) {
      await new Promise((resolve) => setImmediate(resolve));
      if (hasEnded) return work;
      this.#waiting.sort((a, b) => b.order - a.order);
      this.#waiting.pop()?.settle();
    }
  }
}

/** A number from the characters of a text, the same in each process. */
function hash(text: string): number {
  let sum = 2_166_136_261;
  for (let index = 0; index < text.length; index += 1)
    sum = Math.imul(sum ^ text.charCodeAt(index), 16_777_619) >>> 0;
  return (sum ^ (sum >>> 13)) >>> 0;
}

/** Resolves a field of any type. Its path decides what comes. */
function resolve(_source: unknown, args: object, context: OddContext, info: GraphQLResolveInfo): unknown {
  const key = responsePathAsArray(info.path).join('.');
  const { fieldName, parentType, returnType, fieldNodes, operation, variableValues } = info;
  context.calls.push(
    JSON.stringify([
      key,
      args,
      fieldName,
      parentType.name,
      String(returnType),
      fieldNodes.length,
      operation.operation,
      variableValues,
    ]),
  );
  return context.deliver(key, createValue(returnType, key, context));
}

function createValue(type: GraphQLOutputType, key: string, context: OddContext): unknown {
  if (isNonNullType(type)) return createValue(type.ofType, key, context);
  if (isListType(type)) {
    if (hash(`list ${key}`) % 15 === 0) return { length: 2 };
    const items = Array.from({ length: hash(`length ${key}`) % 4 }, (_, index) => {
      const item = createValue(type.ofType, `${key}.${index}`, context);
      try {
        return context.deliver(`${key}.${index}`, item);
      } catch (error) {
        return error instanceof Error ? error : new Error(String(error));
      }
    });
    return hash(`set ${key}`) % 4 === 0 ? new Set(items) : items;
  }
  const number = hash(key);
  switch (getNamedType(type).name) {
    case 'Boolean':
      return number % 2 === 0;
    case 'Int':
      return [number % 1000, 2 ** 40, '7', 'x'][number % 4];
    case 'Float':
      return [0.5, Number.NaN, 3][number % 3];
    case 'String':
    case 'ID':
      return [`text ${number}`, number, { valueOf: () => 'object' }, {}][number % 4];
    case 'Colour':
      return ['r', 'g', 'purple'][number % 3];
    case 'Odd':
      return [{ next: 'no promise' }, [1, [2]], 'empty'][number % 3];
    default:
      return { __typename: NAMES[number % NAMES.length], isReal: number % 7 > 0, key };
  }
}

/** Names that a value claims to be of; some are no object types of the abstract type. */
const NAMES = ['Cat', 'Dog', 'Cat', 'Dog', 'Cat', 'Dog', 'Plain', 'Pet', 'Missing', undefined, 7];

const COLOUR = new GraphQLEnumType({
  name: 'Colour',
  values: { RED: { value: 'r' }, GREEN: { value: 'g' } },
});
const ODD = new GraphQLScalarType({ name: 'Odd', serialize: (value) => (value === 'empty' ? null : value) });
const FILTER: GraphQLInputObjectType = new GraphQLInputObjectType({
  name: 'Filter',
  fields: () => ({
    text: { type: GraphQLString, defaultValue: 'default' },
    count: { type: new GraphQLNonNull(GraphQLInt) },
    more: { type: new GraphQLList(new GraphQLNonNull(FILTER)) },
  }),
});
const ARGS = {
  id: { type: new GraphQLNonNull(GraphQLID) },
  first: { type: GraphQLInt, defaultValue: 25 },
  colour: { type: COLOUR, defaultValue: 'g' },
  filter: { type: FILTER },
};

/** Something whose properties are its type. */
type Shaped = { readonly __typename: unknown; readonly isReal: boolean; readonly key: string };

const PET = new GraphQLInterfaceType({
  name: 'Pet',
  fields: () => ({ name: { type: GraphQLString }, friend: { type: PET } }),
  resolveType: (value, context: OddContext, info) =>
    context.deliver(
      `type of ${responsePathAsArray(info.path).join('.')}`,
      (value as Shaped).__typename,
    ) as string,
});

const fields = (): Record<string, GraphQLFieldConfig<unknown, OddContext>> => {
  const objects = [CAT, DOG, PLAIN, PET, ANY];
  const types: (GraphQLOutputType & GraphQLNamedType)[] = [
    GraphQLString,
    GraphQLInt,
    GraphQLFloat,
    GraphQLBoolean,
    GraphQLID,
    COLOUR,
    ODD,
    ...objects,
  ];
  const configs = types.flatMap((type): [string, GraphQLFieldConfig<unknown, OddContext>][] => {
    const name = type.name.toLowerCase();
    const args = name.length % 2 === 0 ? ARGS : {};
    return [
      [name, { type, args, resolve }],
      [`${name}Required`, { type: new GraphQLNonNull(type), resolve }],
      [`${name}s`, { type: new GraphQLList(type), args, resolve }],
      [`${name}sRequired`, { type: new GraphQLNonNull(new GraphQLList(new GraphQLNonNull(type))), resolve }],
      [`${name}Lists`, { type: new GraphQLList(new GraphQLList(new GraphQLNonNull(type))), resolve }],
    ];
  });
  return {
    ...Object.fromEntries(configs),
    name: { type: GraphQLString, resolve },
    friend: { type: PET, resolve },
    key: { type: GraphQLString },
  };
};

const CAT = new GraphQLObjectType<unknown, OddContext>({
  name: 'Cat',
  interfaces: () => [PET],
  fields,
  isTypeOf: (value, context, info) =>
    context.deliver(
      `is ${responsePathAsArray(info.path).join('.')}`,
      (value as Shaped).isReal || undefined,
    ) as boolean,
});
const DOG = new GraphQLObjectType<unknown, OddContext>({ name: 'Dog', interfaces: () => [PET], fields });
const PLAIN = new GraphQLObjectType<unknown, OddContext>({ name: 'Plain', fields });
/** Its default resolver reads `__typename`, then asks each `isTypeOf`. */
const ANY = new GraphQLUnionType({ name: 'Any', types: () => [PLAIN, CAT, DOG] });

/** Sends events that fail as resolvers do. */
async function* subscribe(_root: unknown, _args: object, context: OddContext, info: GraphQLResolveInfo) {
  for (let event = 0; event < 4; event += 1) {
    context.calls.push(`event ${event}`);
    yield await context.deliver(`${info.path.key} ${info.fieldName} ${event}`, { event });
  }
}

/** Fails before the first event, as some sources do. */
const subscribeOrFail: typeof subscribe = (root, args, context, info) => {
  if (hash(`source ${info.fieldName}`) % 5 === 0) throw new Error(`no source for ${info.fieldName}`);
  return subscribe(root, args, context, info);
};

/** Fields of all kinds of types, each in several wrappings. */
export const ODD_SCHEMA = new GraphQLSchema({
  query: new GraphQLObjectType<unknown, OddContext>({ name: 'Query', fields }),
  mutation: new GraphQLObjectType<unknown, OddContext>({ name: 'Mutation', fields }),
  subscription: new GraphQLObjectType<unknown, OddContext>({
    name: 'Subscription',
    fields: () =>
      Object.fromEntries(
        Object.entries(fields()).map(([name, field]) => [name, { ...field, subscribe: subscribeOrFail }]),
      ),
  }),
});
