// Defines what a plugin can do for the operations of a facade: ours and those of the library's users are of this kind.
import type { Plugin as EnvelopPlugin } from '@envelop/core';
import type {
  DocumentNode,
  ExecutionResult,
  GraphQLError,
  GraphQLSchema,
  OperationDefinitionNode,
} from 'graphql';
import type { BrowserSessions } from '../callers/browser-sessions.ts';
import type { Callers } from '../callers/callers.ts';
import type { OwnPages, Requester } from '../callers/requester.ts';
import type { Session } from '../callers/session.ts';
import type { SharedReads } from '../callers/shared-reads.ts';
import type { Log } from '../log.ts';
import type { Observer } from '../observer.ts';
import type { SchemaExtension } from '../schema/builder.ts';
import type { Replicas } from '../sharing/replicas.ts';
import type { Watcher } from '../upstream/actions/watcher.ts';
import type { HeaderReader } from '../upstream/http/caller.ts';
import type { DescribeClient } from '../upstream/http/client-headers.ts';
import type { executeInProcess } from './execute-in-process.ts';
import type { Limits } from './limits.ts';
import type { OperationContext, OperationParams, OperationRequest } from './operation-request.ts';
import type { Shutdown } from './under-way.ts';

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
const OWN_HOOKS = ['onParams', 'onOperation', 'onMutation', 'directives'] as const;

/** A plugin. Its hooks run with the operations of all transports, in the order of the list of plugins, and each once. */
export interface OperationPlugin
  extends Pick<EnvelopPlugin<Record<string, unknown>>, (typeof PHASE_HOOKS)[number]> {
  /** Replaces what a client has sent as parameters, before it is checked. @throws the error of an operation that is refused. */
  readonly onParams?: (sent: unknown, request: OperationRequest) => unknown;
  /**
   * Carries out an operation: around `next`, or in its place. The results of `next` are complete, as clients get them. Null leaves the
   * operation to the plugins that follow.
   * @throws the error that the client gets in place of a result.
   */
  readonly onOperation?: (
    operation: AdmittedOperation,
    next: () => Promise<Executed>,
  ) => Executed | Promise<Executed> | null;
  /** The same for mutations alone. A plugin has one of the two. */
  readonly onMutation?: OperationPlugin['onOperation'];
  /** Names of directives: `onOperation` runs only with documents that have one of them. Absent: with all. */
  readonly directives?: readonly string[];
}

/** One request that may be for a page. */
export interface PageRequest {
  readonly request: Request;
  readonly url: URL;
  readonly requester: Requester;
}

/** Answers a request of a browser that is no operation; null when it is for something else. Errors are answered as those of operations are. */
export type Page = (request: PageRequest) => Response | null | Promise<Response | null>;

/** What a plugin can use of its facade. */
export interface Services {
  /** Distinguishes the API from others whose replicas share. */
  readonly api: string;
  /** Path of GraphQL. */
  readonly endpoint: string;
  readonly replicas: Replicas;
  readonly observer: Observer;
  readonly log: Log;
  readonly limits: Limits;
  readonly shutdown: Shutdown;
  readonly callers: Callers;
  readonly reads: SharedReads;
  readonly watcher: Watcher;
  readonly pages: OwnPages;
  /** Returns whether a request is from one of the pages, or from no page. */
  readonly isFromOwnPage: (header: HeaderReader) => boolean;
  readonly describeClient: DescribeClient;
  readonly toClientError: (error: unknown) => GraphQLError;
  readonly openSession: (requester: Requester) => Promise<Session>;
  /** Carries out an operation for a program in this process, see `executeInProcess`. */
  readonly execute: (requester: Requester, params: OperationParams) => ReturnType<typeof executeInProcess>;
  /** Carries out a request as an operation. Never rejects. */
  readonly run: (request: OperationRequest) => Promise<Executed>;
  /** Returns whether browsers can sign in, when all plugins have started. */
  readonly hasSignIn: () => boolean;
}

/** What a plugin does while its facade serves. */
export interface StartedPlugin extends OperationPlugin {
  readonly page?: Page | undefined;
  /** The sessions of browsers that sign in. */
  readonly browsers?: BrowserSessions | undefined;
  /** Ends what would send without end. @param last A result without data. */
  readonly endStreams?: (last: ExecutionResult) => void;
  readonly close?: () => void | Promise<void>;
}

/** A capability that can be left out. */
export interface FacadePlugin {
  /** What it adds to each schema. */
  readonly schema?: SchemaExtension;
  /** Called once, when the first schema is assembled. */
  readonly start?: (services: Services) => StartedPlugin | null;
  readonly close?: () => Promise<void>;
}

/** The hooks of a facade's plugins. */
export const ALL_HOOKS: readonly string[] = [...PHASE_HOOKS, ...OWN_HOOKS];

/** Returns the hooks of Envelop that a plugin has. */
export const phaseHooksOf = (plugin: OperationPlugin): object =>
  Object.fromEntries(
    PHASE_HOOKS.flatMap((name) => (plugin[name] === undefined ? [] : [[name, plugin[name]]])),
  );

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
