// Defines what carries out the operations of an agent.
import type { ExecutionResult, GraphQLSchema } from 'graphql';

/** An operation, as the parameters of GraphQL over HTTP. */
export interface AgentRequest {
  readonly query: string;
  readonly variables?: Readonly<Record<string, unknown>>;
  readonly extensions?: Readonly<Record<string, unknown>>;
}

/** What carries out the operations of one caller. */
export interface AgentApi {
  /** Reads the caller's schema; null where they may not read it. */
  readSchema(): Promise<GraphQLSchema | null>;
  /** Whether it knows the extension `dryRun`. Another server would send the writes. Default: true. */
  readonly canDryRun?: boolean;
  ask(request: AgentRequest): Promise<ExecutionResult>;
  /** Its end ends the subscription. */
  subscribe(request: AgentRequest): Promise<AsyncIterableIterator<ExecutionResult>>;
}
