// Declares what tests use of `@graphql-hive/gateway-runtime`, because its own types add members to those of graphql-js everywhere.
import type { RequestListener } from 'node:http';

/** The options of a router. */
export interface GatewayOptions {
  /** The SDL of the supergraph. */
  readonly supergraph: string;
  readonly logging: boolean;
  readonly propagateHeaders?: {
    readonly fromClientToSubgraphs: (sent: { readonly request: Request }) => Readonly<Record<string, string>>;
  };
  /** How subgraphs are called, by their names. */
  readonly transportEntries?: Readonly<Record<string, { readonly options: object }>>;
}

export declare function createGatewayRuntime(options: GatewayOptions): RequestListener & AsyncDisposable;
