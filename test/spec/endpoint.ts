// Defines the facts about an endpoint that its test proves.

/** An endpoint: an operation, what the sandbox has to receive for it, and what both have to say afterwards. */
export interface Endpoint {
  /** For example `dataset.snapshot#create`. */
  readonly action: string;
  /** Method and path. */
  readonly path: string;
  /** Ids in the path, in its order. */
  readonly at?: readonly (number | string)[];
  /** An operation with one root field under the alias `it`. */
  readonly operation: string;
  /** The query that the sandbox receives, decoded. Default: none. */
  readonly query?: string;
  /** The body that the sandbox receives. Default: none with GET, else the namespace with no parameters. */
  readonly body?: unknown;
  /** What `it` answers at least. */
  readonly answer: unknown;
  /** A path of the sandbox, `{made}` being the `databaseId` of what `made` names in the answer, and what is there then. */
  readonly holds?: readonly [path: string, object: Readonly<Record<string, unknown>> | null];
  readonly blocking?: boolean;
  /** Anonymous callers are served. */
  readonly open?: boolean;
}
