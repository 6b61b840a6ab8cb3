// Defines what a plugin can do for the operations of a facade: ours and those of the library's users are of this kind.
import type { Plugin as EnvelopPlugin } from '@envelop/core';
import type { DocumentNode, ExecutionResult, GraphQLSchema, OperationDefinitionNode } from 'graphql';
import type { OperationContext } from './context.ts';
import type { OperationParams, OperationRequest } from './operation-request.ts';

/** A result, or several as they come: the parts of one, or those of a stream. */
export type Executed = ExecutionResult | AsyncIterable<ExecutionResult>;

/** An operation that may be executed: it is valid, within the limits and charged. */
export interface AdmittedOperation {
  readonly request: OperationRequest;
  readonly params: OperationParams;
  readonly schema: GraphQLSchema;
  readonly document: DocumentNode;
  readonly definition: OperationDefinitionNode;
  readonly contextValue: OperationContext;
  /** Carries out another request from its beginning, as an operation of its own. Never rejects. */
  readonly run: (request: OperationRequest) => Promise<Executed>;
}

/** The hooks of Envelop around the phases of an operation. */
const PHASE_HOOKS = [
  'onPluginInit',
  'onEnveloped',
  'onSchemaChange',
  'onParse',
  'onValidate',
  'onContextBuilding',
  'onExecute',
  'onSubscribe',
] as const;

/** The hooks of an operation that Envelop does not have. */
const OWN_HOOKS = ['onParams', 'onOperation'] as const;

/** A plugin. Its hooks run with the operations of all transports, in the order of the list of plugins, and each once. */
export interface OperationPlugin
  extends Pick<EnvelopPlugin<Record<string, unknown>>, (typeof PHASE_HOOKS)[number]> {
  /** Replaces what a client has sent as parameters, before it is checked. @throws the error of an operation that is refused. */
  readonly onParams?: (sent: unknown, request: OperationRequest) => unknown;
  /**
   * Carries out an operation: by `next`, around it, or in its place. The results of `next` are complete, as clients get them.
   * @throws the error that the client gets in place of a result.
   */
  readonly onOperation?: (
    operation: AdmittedOperation,
    next: () => Promise<Executed>,
  ) => Executed | Promise<Executed>;
}

/** The hooks of a facade's plugins. */
export const ALL_HOOKS: readonly string[] = [...PHASE_HOOKS, ...OWN_HOOKS];

/** Refuses plugins with hooks that are never called. @param hooks Those that are. @throws TypeError */
export function checkPlugins(plugins: readonly object[], hooks: readonly string[] = PHASE_HOOKS): void {
  for (const plugin of plugins) {
    const wrong = Object.keys(plugin).find((name) => !hooks.includes(name));
    if (wrong !== undefined)
      throw new TypeError(
        `A plugin has "${wrong}", which is for one transport or for no operation. Plugins have ${hooks.join(', ')}, which run on all transports. For HTTP requests, wrap the handler of your server.`,
      );
  }
}
