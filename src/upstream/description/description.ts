import type { PathTemplate } from '../http/path-template.ts';
import type { Finding } from '../reader.ts';

/** How input is sent and output is read (spec: Layouts). */
export type Layout = 'object' | 'object_list' | 'hash' | 'hash_list';

/** Types of plain parameters (spec: Errors 4). A type the protocol does not know is read as `Custom`. */
export type ValueType = 'String' | 'Text' | 'Boolean' | 'Integer' | 'Float' | 'Datetime' | 'Custom';

interface ParameterBase {
  readonly name: string;
  readonly label: string | null;
  readonly description: string | null;
  readonly required: boolean;
  /** Whether null may be sent; null where the server does not tell (protocol 1). */
  readonly nullable: boolean | null;
}

/** A parameter with a plain value. */
export interface ValueParameter extends ParameterBase {
  readonly type: ValueType;
  readonly validators: Validators;
  /** What the *server* uses when the parameter is omitted; null for none. Never sent by the facade. */
  readonly default: unknown;
  /** The value is a secret and must not be logged. */
  readonly protected: boolean;
}

/** A parameter that refers to another resource (spec: Association parameters). */
export interface ResourceParameter extends ParameterBase {
  readonly type: 'Resource';
  /** Path of the referred resource, e.g. `['shelf', 'book']`. It need not be described to this caller. */
  readonly resource: readonly string[];
  /** Key of the identifier in an association's output. */
  readonly valueId: string;
  /** Key of the human-readable label in an association's output. */
  readonly valueLabel: string;
}

/** One described parameter of an input or output. */
export type Parameter = ValueParameter | ResourceParameter;

/** The described validators of a parameter (spec: Errors 2). Absent keys: no such rule. */
export interface Validators {
  readonly accept?: { readonly value: unknown; readonly message: string };
  readonly present?: { readonly empty: boolean; readonly message: string };
  readonly confirm?: { readonly equal: boolean; readonly parameter: string; readonly message: string };
  readonly include?: { readonly values: readonly ChoiceValue[]; readonly message: string };
  readonly exclude?: { readonly values: readonly unknown[]; readonly message: string };
  readonly format?: {
    readonly rx: string;
    readonly match: boolean;
    readonly description: string | null;
    readonly message: string;
  };
  readonly length?: {
    readonly min: number | null;
    readonly max: number | null;
    readonly equals: number | null;
    readonly message: string;
  };
  readonly number?: {
    readonly min: number | null;
    readonly max: number | null;
    readonly step: number | null;
    readonly mod: number | null;
    readonly even: boolean;
    readonly odd: boolean;
    readonly message: string;
  };
  /** Text about a check that only the server can make. */
  readonly custom?: string;
}

/** One accepted value, with the label that a map of values gives it. */
export interface ChoiceValue {
  readonly value: unknown;
  readonly label: string | null;
}

/** The input or output of an action. */
export interface Shape {
  readonly layout: Layout;
  /** Key that the parameters stand under; null: they stand at the top. */
  readonly namespace: string | null;
  /** In described order. */
  readonly parameters: readonly Parameter[];
}

/** One described action. */
export interface Action {
  readonly name: string;
  /** Path of its resource, e.g. `['shelf', 'book']`. */
  readonly resource: readonly string[];
  /** `<resource path>#<action>` (spec: Permissions), e.g. `shelf.book#lend`. */
  readonly scope: string;
  readonly description: string | null;
  readonly aliases: readonly string[];
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

/** The authentication methods that the description announces. Names of headers come from here, never from code. */
export interface AuthenticationMethods {
  readonly basic: boolean;
  readonly token: {
    readonly httpHeader: string;
    readonly queryParameter: string;
    readonly resources: readonly Resource[];
  } | null;
  readonly oauth2: {
    readonly httpHeader: string | null;
    /** Where users and clients sign in; null unless all addresses are told. They may be on another origin than the API. */
    readonly endpoints: OAuthEndpoints | null;
  } | null;
}

/** Addresses of an OAuth 2.0 provider (spec: OAuth 2.0). */
export interface OAuthEndpoints {
  readonly authorize: string;
  readonly token: string;
  readonly revoke: string;
}

/** One version of an API, read from `OPTIONS`. */
export interface Description {
  readonly authentication: AuthenticationMethods;
  readonly resources: readonly Resource[];
  /** Key of metadata in requests and answers. */
  readonly metaNamespace: string;
  /** What was left out, and why. */
  readonly findings: readonly Finding[];
}
