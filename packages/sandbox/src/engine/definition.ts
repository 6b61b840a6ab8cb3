// Defines the types of resources and their actions, before and after they are bound to a version of the API.
import type { Scope } from '../auth/scope.ts';
import type { ActionStates } from './blocking.ts';
import type { Store } from './store.ts';
import type { Validators } from './validate-value.ts';

/** The value of a column. The value of an association is the id of the row that it refers to. */
export type Value = string | number | boolean | null;

/** Named values: a row, or the answer of an action without a table. */
export interface Fields {
  readonly [name: string]: Value | undefined;
}

/** One item of an answer: the columns of a row. A Custom parameter can hold any JSON value. */
export interface Item {
  readonly [name: string]: unknown;
}

/** One stored object. */
export interface Row extends Fields {
  readonly id: number;
}

/** The authenticated user of a request. Null stands for an anonymous caller. */
export interface Caller {
  readonly id: number;
  readonly login: string;
  readonly admin: boolean;
  /** The actions that the credential may be used for. */
  readonly scope: Scope;
}

interface ParameterBase {
  /** Default: derived from the parameter's name. */
  readonly label?: string;
  readonly description?: string;
  readonly required?: boolean;
  /** Whether an explicit null is accepted. Default: false. */
  readonly nullable?: boolean;
  /** The only role that sees and uses the parameter. Default: every role. */
  readonly role?: 'admin';
}

/** A parameter that holds a value of its own. */
export interface TypedParameter extends ParameterBase {
  readonly type: 'String' | 'Text' | 'Boolean' | 'Integer' | 'Float' | 'Datetime' | 'Custom';
  readonly validators?: Validators;
  readonly default?: Value;
  /** Whether the server fills in the default for an omitted parameter. Default: false; the default is only described. */
  readonly fillsDefault?: boolean;
  readonly protected?: boolean;
  /** Computes the value of an output parameter. Default: the item's column with the parameter's name. */
  compute?(item: Item, call: Call): Value;
}

/** A parameter that refers to a row of another resource. */
export interface Association extends ParameterBase {
  readonly type: 'Resource';
  /** The path of the resource, outermost first. */
  readonly resource: readonly string[];
  readonly valueLabel: string;
  /** Whether `includes` silently ignores the association, as real servers do for some. Default: false. */
  readonly ignoresIncludes?: boolean;
}

/** One parameter of an input or an output. */
export type Parameter = TypedParameter | Association;

/** Parameters by name, in the order in which they are described. */
export type Parameters = Readonly<Record<string, Parameter>>;

/** How an input or output is sent (specification: Layouts). */
export type Layout = 'object' | 'object_list' | 'hash' | 'hash_list';

/** Validated and coerced input. Omitted parameters are missing. */
export type Input = ReadonlyMap<string, unknown>;

/** One call of an action. */
export interface Call {
  readonly api: Api;
  readonly store: Store;
  readonly states: ActionStates;
  readonly caller: Caller | null;
  /** The session token of the call. Null for any other credential. */
  readonly token: string | null;
  readonly action: Action;
  /** The values of the path's placeholders, decoded. */
  readonly pathParams: readonly string[];
  readonly input: Input;
  readonly meta: CallMeta;
  readonly request: RequestSource;
  /** The maximum number of rows that a list with a limit returns; null for none. */
  readonly clampedLimit: number | null;
}

/** Where a request comes from. */
export interface RequestSource {
  /** The client's IP address. */
  readonly address: string;
  /** The scheme and host that the client uses for the API. */
  readonly origin: string;
  /** Aborts when the client disconnects. */
  readonly signal: AbortSignal;
}

/** The global metadata of a call. */
export interface CallMeta {
  /** Whether the response has no metadata (the parameter `no`). */
  readonly isOmitted: boolean;
  readonly count: boolean;
  readonly includes: readonly string[];
}

/** Error messages by parameter. */
export type Errors = Readonly<Record<string, readonly string[]>>;

/** The result of a successful action. A list has any number of items, every other layout has one. */
export interface Success {
  readonly ok: true;
  readonly items: readonly Item[];
  readonly total?: number;
  /** The id of the action state. Null or missing: the call does not block. */
  readonly actionState?: number | null;
}

/** The result of a failed action. */
export interface Failure {
  readonly ok: false;
  readonly message: string | null;
  readonly errors?: Errors | null;
  /** The HTTP status. Default: 200. */
  readonly httpStatus?: number;
}

/** The result of an action. */
export type Outcome = Success | Failure;

/** An example call in a description (specification: Versioning, 7). Its parameters have no namespace. */
export interface Example {
  readonly title: string;
  readonly comment?: string;
  readonly pathParams?: readonly number[];
  readonly request?: Item;
  readonly response?: Item | readonly Item[];
  /** The failure that the example shows. Default: it shows a success. */
  readonly failure?: Pick<Failure, 'message' | 'errors'>;
  /** The HTTP status. Default: 200. */
  readonly httpStatus?: number;
}

/** The definition of one action, as written in `resources/`. */
export interface ActionDefinition {
  readonly description?: string;
  /** Default: GET. */
  readonly method?: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** The path below that of the resource. `{id}` stands for the placeholder of the row. Default: ''. */
  readonly route?: string;
  /** Whether the action needs a credential. Default: as the resource says. */
  readonly auth?: boolean;
  /** The only role that may call the action. Default: every role. */
  readonly role?: 'admin';
  readonly aliases?: readonly string[];
  readonly blocking?: boolean;
  /** Whether the action offers `count`. Default: false. */
  readonly offersCount?: boolean;
  /** Whether the action takes no metadata, as some lists of real servers. Default: false. */
  readonly takesNoMetadata?: boolean;
  /** Whether a list describes `limit` and ignores it, as some lists of real servers do. Default: false. */
  readonly ignoresLimit?: boolean;
  readonly input?: { readonly layout?: Layout; readonly parameters: Parameters };
  /** Default: the output of the resource, as one object. */
  readonly output?: { readonly layout: Layout; readonly parameters?: Parameters };
  /** Default: none. */
  readonly examples?: readonly Example[];
  /** The HTTP status for invalid input. Default: 200. */
  readonly invalidInputStatus?: number;
  execute(call: Call): Outcome | Promise<Outcome>;
}

/** The definition of one resource, as written in `resources/`. */
export interface ResourceDefinition {
  readonly description?: string;
  /** Whether the actions need a credential. Default: true. */
  readonly auth?: boolean;
  /** The segment of the path. Default: the plural of the resource's name. */
  readonly route?: string;
  /** The table of the rows. Default: none; the items of answers then have no metadata. */
  readonly table?: string;
  /** The column that holds the id of the parent row. */
  readonly parent?: string;
  /** Whether a caller who sees the parent row also sees this row. Default: true. */
  isVisible?(caller: Caller | null, row: Row, store: Store): boolean;
  readonly output: Parameters;
  readonly actions: Readonly<Record<string, ActionDefinition>>;
  readonly resources?: Readonly<Record<string, ResourceDefinition>>;
}

/** A resource that is bound to a version of the API. */
export interface Resource {
  readonly name: string;
  /** The names of the outer resources, outermost first, and of this resource. */
  readonly path: readonly string[];
  readonly plural: string;
  readonly definition: ResourceDefinition;
  readonly parent: Resource | null;
  readonly actions: ReadonlyMap<string, Action>;
  readonly resources: ReadonlyMap<string, Resource>;
}

/** An action that is bound to a version of the API, with every default filled in. */
export interface Action {
  readonly name: string;
  readonly resource: Resource;
  readonly definition: ActionDefinition;
  /** For example `dataset.snapshot#index`. */
  readonly scope: string;
  readonly method: string;
  /** For example `/v7.0/datasets/{dataset_id}`. */
  readonly path: string;
  readonly auth: boolean;
  readonly input: BoundLayout;
  readonly output: BoundLayout;
  /** The parameters of the global metadata. */
  readonly metaParameters: Parameters;
  /** Whether each item of an answer is an object with its own metadata. */
  readonly hasObjectMeta: boolean;
}

/** The layout, namespace and parameters of an input or output. */
export interface BoundLayout {
  readonly layout: Layout;
  readonly namespace: string;
  readonly parameters: Parameters;
}

/** One version of the API. */
export interface Api {
  readonly version: string;
  readonly resources: ReadonlyMap<string, Resource>;
  /** The resources of token authentication. Their paths have no version. */
  readonly tokenResources: ReadonlyMap<string, Resource>;
  /** The base URL of the OAuth 2.0 endpoints, without a trailing slash (specification: {auth_url}). Null: there are none. */
  readonly authUrl: string | null;
  readonly actions: readonly Action[];
  /** Finds the resource at a path. @throws Error when there is none, which is a mistake in a definition. */
  getResource(path: readonly string[]): Resource;
}

/** Every version of the API, the default version first. */
export type Apis = readonly [Api, ...Api[]];
