// Runs the plugins of a library's user around the phases of operations, alike on all transports.
import { envelop, type Plugin } from '@envelop/core';
import {
  type DocumentNode,
  type ExecutionArgs,
  type ExecutionResult,
  type GraphQLError,
  type GraphQLSchema,
  validate,
} from 'graphql';
import type { Pause } from '../upstream/pause.ts';
import { type OperationContext, withOwnProperties } from './context.ts';
import { handleStream, type StreamHandling } from './subscription.ts';

const HOOKS = [
  'onPluginInit',
  'onEnveloped',
  'onSchemaChange',
  'onParse',
  'onValidate',
  'onContextBuilding',
  'onExecute',
  'onSubscribe',
] as const;

/**
 * A plugin of Envelop. Its hooks run with the operations of all transports. The facade opens the session, charges the operation, limits it
 * and masks errors around them.
 */
export type ServerPlugin = Pick<Plugin<Record<string, unknown>>, (typeof HOOKS)[number]>;

/** A result, or several as they come: the parts of one, or those of a stream. */
export type Executed = ExecutionResult | AsyncIterable<ExecutionResult>;

/** The phases of one operation, around which plugins have hooks. */
export interface Phases {
  /** The caller's schema. */
  readonly schema: GraphQLSchema;
  /** Returns a promise only if it takes long. */
  parse(text: string, pause: Pause): DocumentNode | Promise<DocumentNode>;
  /** Returns a promise only if it takes long. */
  validate(
    schema: GraphQLSchema,
    document: DocumentNode,
    pause: Pause,
  ): readonly GraphQLError[] | Promise<readonly GraphQLError[]>;
  createContext(): Promise<OperationContext>;
  execute(args: ExecutionArgs): Executed | Promise<Executed>;
  subscribe(args: ExecutionArgs, handling: StreamHandling | null): Promise<Executed>;
}

/** Hooks cannot wait, so what is between them does not pause, and returns no promise. */
const WITHOUT_PAUSE: Pause = () => undefined;

/** The plugins of a facade. */
export class UserPlugins {
  readonly #envelop: ReturnType<typeof envelop>;
  /** The facade's own phases, by the context with which the operation begins. */
  readonly #phases = new WeakMap<object, Phases>();

  /** @throws TypeError when a plugin has a hook that is never called. */
  constructor(plugins: readonly ServerPlugin[]) {
    this.#envelop = envelop({ plugins: [this.#createEngine(), ...(plugins as readonly Plugin[])] });
    for (const plugin of this.#envelop._plugins) checkHooks(plugin);
  }

  /** Puts the hooks around the phases of an operation. @param context What the hooks see until the operation has its context. */
  around(own: Phases, context: Record<string, unknown>): Phases {
    this.#phases.set(context, own);
    const enveloped = this.#envelop(context);
    return {
      schema: own.schema,
      parse: (text, pause) =>
        afterwards(
          () => own.parse(text, pause),
          () => enveloped.parse(text) as DocumentNode,
        ),
      validate: (schema, document, pause) =>
        afterwards(
          () => own.validate(schema, document, pause),
          () => enveloped.validate(schema, document) as readonly GraphQLError[],
        ),
      createContext: async () =>
        enveloped.contextFactory(
          withOwnProperties(await own.createContext()),
        ) as Promise<unknown> as Promise<OperationContext>,
      execute: enveloped.execute,
      subscribe: async (args, handling) => {
        const results: Executed = await enveloped.subscribe(args);
        return handling === null ? results : handleStream(results, handling);
      },
    };
  }

  /** The plugin that is called first, and names the functions that the hooks surround. */
  #createEngine(): Plugin {
    const phasesOf = (context: object): Phases => {
      const phases = this.#phases.get(context);
      if (phases === undefined) throw new TypeError('expected the context of an operation that has begun');
      return phases;
    };
    return {
      onEnveloped: ({ context, setSchema }) => setSchema(phasesOf(context ?? {}).schema),
      onParse: ({ context, setParseFn }) =>
        setParseFn((text: string) => phasesOf(context).parse(text, WITHOUT_PAUSE)),
      onValidate: ({ context, setValidationFn }) => setValidationFn(withRules(phasesOf(context))),
      onExecute: ({ args, setExecuteFn }) => setExecuteFn(phasesOf(args.contextValue).execute),
      onSubscribe: ({ args, setSubscribeFn }) => {
        const { subscribe } = phasesOf(args.contextValue);
        setSubscribeFn((given) => subscribe(given, null));
      },
    };
  }
}

/** Runs a phase that may pause before the same phase with its hooks, which cannot wait and find its result or error kept. */
function afterwards<T>(own: () => T | Promise<T>, withHooks: () => T): T | Promise<T> {
  try {
    const begun = own();
    if (begun instanceof Promise) return begun.then(withHooks, withHooks);
  } catch {
    // Hooks get the same error.
  }
  return withHooks();
}

/** Validates by the own rules, whose errors are kept, and by those that plugins add. */
const withRules =
  (own: Phases): typeof validate =>
  (schema, document, rules) => [
    ...(own.validate(schema, document, WITHOUT_PAUSE) as readonly GraphQLError[]),
    ...(rules === undefined ? [] : validate(schema, document, rules)),
  ];

function checkHooks(plugin: Plugin): void {
  const names: readonly string[] = HOOKS;
  const wrong = Object.keys(plugin).find((name) => !names.includes(name));
  if (wrong !== undefined)
    throw new TypeError(
      `A plugin has "${wrong}", which is for one transport or for no operation. Plugins have ${HOOKS.join(', ')}, which run on all transports. For HTTP requests, wrap the handler of your server.`,
    );
}
