// Defines the model of an API's description, which the parser returns.
import type { PathTemplate } from '../http/request-path.ts';
import type { Validators } from './parse-validators.ts';

/** How input is sent and output is read (specification: Layouts). */
export type Layout = 'object' | 'object_list' | 'hash' | 'hash_list';

/** Types of value parameters (specification: Errors 4). A type that the protocol does not define is read as `Custom`. */
export type ValueType = 'String' | 'Text' | 'Boolean' | 'Integer' | 'Float' | 'Datetime' | 'Custom';

interface ParameterBase {
  readonly name: string;
  readonly label: string | null;
  readonly description: string | null;
  readonly required: boolean;
  /** Whether the parameter accepts null; null where the server does not describe it (protocol 1). */
  readonly nullable: boolean | null;
  /** Why it should no longer be used; null where it may be. */
  readonly deprecated: string | null;
}

/** A parameter that is not an association. */
export interface ValueParameter extends ParameterBase {
  readonly type: ValueType;
  readonly validators: Validators;
  /** The value that the server uses for an omitted parameter; null for none. The facade never sends it. */
  readonly default: unknown;
  /** The value is a secret and must not be logged. */
  readonly protected: boolean;
}

/** A parameter that refers to another resource (specification: Association parameters). */
export interface ResourceParameter extends ParameterBase {
  readonly type: 'Resource';
  /** Path of the associated resource, e.g. `['shelf', 'book']`. The caller's description may not contain it. */
  readonly resource: readonly string[];
  /** Key of the identifier in an association's output. */
  readonly valueId: string;
  /** Key of the human-readable label in an association's output. */
  readonly valueLabel: string;
}

/** One described parameter of an input or output. */
export type Parameter = ValueParameter | ResourceParameter;

/** The input or output of an action. */
export interface Shape {
  readonly layout: Layout;
  /** Key that contains the parameters; null where they are at the top level. */
  readonly namespace: string | null;
  /** In described order. */
  readonly parameters: readonly Parameter[];
}

/** One described action. */
export interface Action {
  readonly name: string;
  /** Path of its resource, e.g. `['shelf', 'book']`. */
  readonly resource: readonly string[];
  /** `<resource path>#<action>` (specification: Permissions), e.g. `shelf.book#lend`. */
  readonly scope: string;
  readonly description: string | null;
  /** Why it should no longer be used; null where it may be. */
  readonly deprecated: string | null;
  readonly auth: boolean;
  readonly blocking: boolean;
  /** Upper case. */
  readonly method: string;
  readonly path: PathTemplate;
  readonly input: Shape;
  readonly output: Shape;
  /** Names of the global metadata parameters that the action takes, e.g. `includes`, `count`. */
  readonly metaInput: ReadonlySet<string>;
}

/** One described resource with its actions and nested resources. */
export interface Resource {
  readonly name: string;
  readonly path: readonly string[];
  readonly description: string | null;
  readonly actions: readonly Action[];
  readonly resources: readonly Resource[];
}

/** The described authentication methods. They are the only source of header names. */
export interface AuthenticationMethods {
  readonly basic: boolean;
  readonly token: {
    readonly httpHeader: string;
    readonly resources: readonly Resource[];
  } | null;
  readonly oauth2: {
    readonly httpHeader: string | null;
    /** Null unless all addresses are described. They may be on another origin than the API. */
    readonly endpoints: OAuthEndpoints | null;
  } | null;
}

/** Addresses of an OAuth 2.0 provider (specification: OAuth 2.0). */
export interface OAuthEndpoints {
  readonly authorize: string;
  readonly token: string;
  readonly revoke: string;
}

/** One version of an API. */
export interface Description {
  readonly authentication: AuthenticationMethods;
  readonly resources: readonly Resource[];
  /** Key of metadata in requests and responses. */
  readonly metaNamespace: string;
  /** The parts that were omitted, and why. */
  readonly findings: readonly Finding[];
}

/** A part of the description that is omitted, renamed or does not work, with its place and the reason. */
export interface Finding {
  /** Stable name of the kind of finding. */
  readonly code: string;
  /** Dotted path, e.g. `book#create input.title.validators.format`. */
  readonly path: string;
  /** What is expected, what the description holds instead, and how the parser proceeds. */
  readonly reason: string;
}
