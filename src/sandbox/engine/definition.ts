import type { Scope } from '../auth/scope.ts';
import type { ActionStates } from './blocking.ts';
import type { Store } from './store.ts';
import type { Validators } from './validate-value.ts';

/** What a column of a row can hold; an association is the id of the row it refers to. */
export type Value = string | number | boolean | null;

/** Named values: a row, or the answer of an action that has no table behind it. */
export interface Fields {
  readonly [name: string]: Value | undefined;
}

/** One item of an answer: the columns of a row, or whatever JSON holds where the parameter is Custom. */
export interface Item {
  readonly [name: string]: unknown;
}

/** One stored object. */
export interface Row extends Fields {
  readonly id: number;
}

/** Who calls: null is anonymous. */
export interface Caller {
  readonly id: number;
  readonly login: string;
  readonly admin: boolean;
  /** What the credential is restricted to. */
  readonly scope: Scope;
}

interface ParameterBase {
  /** Default: made of the parameter's name. */
  readonly label?: string;
  readonly description?: string;
  readonly required?: boolean;
  /** An explicit null is accepted. Default: false. */
  readonly nullable?: boolean;
  /** Only this role sees and uses it. Default: everybody. */
  readonly role?: 'admin';
}

/** A parameter that holds a value of its own. */
export interface TypedParameter extends ParameterBase {
  readonly type: 'String' | 'Text' | 'Boolean' | 'Integer' | 'Float' | 'Datetime' | 'Custom';
  readonly validators?: Validators;
  readonly default?: Value;
  /** The action gets the default when the parameter is omitted. Default: false, it only stands in the description. */
  readonly fill?: boolean;
  readonly protected?: boolean;
  /** Of an output: told of the item and the call. Default: the item's column of the parameter's name. */
  tell?(item: Item, call: Call): Value;
}

/** A parameter that refers to a row of another resource. */
export interface Association extends ParameterBase {
  readonly type: 'Resource';
  /** The path of the resource, from the top. */
  readonly resource: readonly string[];
  readonly valueLabel: string;
  /** `includes` naming it are silently ignored, as real servers do with some. Default: false. */
  readonly ignoresIncludes?: boolean;
}

/** One parameter of an input or an output. */
export type Parameter = TypedParameter | Association;

/** Parameters by name, in the order in which they are described. */
export type Parameters = Readonly<Record<string, Parameter>>;

/** How an input or output is sent (spec: Layouts). */
export type Layout = 'object' | 'object_list' | 'hash' | 'hash_list';

/** Checked and coerced input: what was omitted is not in it. */
export type Input = ReadonlyMap<string, unknown>;

/** What an action is given. */
export interface Call {
  readonly api: Api;
  readonly store: Store;
  readonly states: ActionStates;
  readonly caller: Caller | null;
  /** The session token that authenticated the call, null with any other credential. */
  readonly token: string | null;
  readonly action: Action;
  /** Values of the path's placeholders, decoded. */
  readonly pathParams: readonly string[];
  readonly input: Input;
  readonly meta: CallMeta;
  readonly request: Origin;
}

/** What an action may want to know of the request itself. */
export interface Origin {
  /** The client's IP address, as far as it is known. */
  readonly address: string;
  /** Scheme and host under which the client knows the API. */
  readonly origin: string;
  /** Aborts when the client goes away. */
  readonly signal: AbortSignal;
}

/** Global metadata of a call. */
export interface CallMeta {
  readonly no: boolean;
  readonly count: boolean;
  readonly includes: readonly string[];
}

/** Error texts by parameter. */
export type Errors = Readonly<Record<string, readonly string[]>>;

/** An action's success: one item, or any number of them for a list. */
export interface Answer {
  readonly ok: true;
  readonly items: readonly Item[];
  readonly total?: number;
  /** The state of a blocking action; null or missing: this call was not blocking. */
  readonly actionState?: number | null;
}

/** An action's failure, answered with HTTP 200 unless `http` says otherwise. */
export interface Failure {
  readonly ok: false;
  readonly message: string | null;
  readonly errors?: Errors | null;
  readonly http?: number;
}

/** How an action ended. */
export type Outcome = Answer | Failure;

/** A call that a description shows (spec: Versioning 7): parameters without their namespace. */
export interface Example {
  readonly title: string;
  readonly comment?: string;
  readonly pathParams?: readonly number[];
  readonly request?: Item;
  readonly response?: Item | readonly Item[];
  /** It shows a refusal. */
  readonly failure?: Pick<Failure, 'message' | 'errors'>;
  /** Default: 200. */
  readonly http?: number;
}

/** One action of a resource, as written in `resources/`. */
export interface ActionDefinition {
  readonly description?: string;
  /** Default: GET. */
  readonly method?: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** Below the resource's path; `{id}` stands for the row's own placeholder. Default: ''. */
  readonly route?: string;
  /** Default: the resource's. */
  readonly auth?: boolean;
  /** Only this role may call it. Default: everybody. */
  readonly role?: 'admin';
  readonly aliases?: readonly string[];
  readonly blocking?: boolean;
  /** Offers `count`. Default: false. */
  readonly counts?: boolean;
  /** Offers no metadata input at all, as some real lists do. Default: false. */
  readonly bare?: boolean;
  /** Of a list: describes `limit` and ignores it, as some real ones do. Default: false. */
  readonly ignoresLimit?: boolean;
  readonly input?: { readonly layout?: Layout; readonly parameters: Parameters };
  /** Default: the resource's output as one object. */
  readonly output?: { readonly layout: Layout; readonly parameters?: Parameters };
  /** Default: none. */
  readonly examples?: readonly Example[];
  /** HTTP status of invalid input. Default: 200. */
  readonly invalidStatus?: number;
  execute(call: Call): Outcome | Promise<Outcome>;
}

/** One resource, as written in `resources/`. */
export interface ResourceDefinition {
  readonly description?: string;
  /** Its actions need a caller. Default: true. */
  readonly auth?: boolean;
  /** Default: the plural of its name. */
  readonly route?: string;
  /** Where its rows are; without one its answers are no objects and carry no metadata of their own. */
  readonly table?: string;
  /** The column that refers to the row of the resource it is nested in. */
  readonly parent?: string;
  /** Whether a caller sees a row (on top of seeing its parent). Default: everybody sees every row. */
  sees?(caller: Caller | null, row: Row, store: Store): boolean;
  readonly output: Parameters;
  readonly actions: Readonly<Record<string, ActionDefinition>>;
  readonly resources?: Readonly<Record<string, ResourceDefinition>>;
}

/** A resource in its place in the API. */
export interface Resource {
  readonly name: string;
  /** From the top, itself last. */
  readonly path: readonly string[];
  readonly plural: string;
  readonly definition: ResourceDefinition;
  readonly parent: Resource | null;
  readonly actions: ReadonlyMap<string, Action>;
  readonly resources: ReadonlyMap<string, Resource>;
}

/** An action in its place in the API, with every default decided. */
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
  /** The global metadata that it takes. */
  readonly metaInput: Parameters;
  /** Its items are objects with metadata of their own. */
  readonly objectMeta: boolean;
}

/** A layout with its namespace. */
export interface BoundLayout {
  readonly layout: Layout;
  readonly namespace: string;
  readonly parameters: Parameters;
}

/** One version of the API. */
export interface Api {
  readonly version: string;
  readonly resources: ReadonlyMap<string, Resource>;
  /** Resources of the token authentication; their paths carry no version. */
  readonly tokenResources: ReadonlyMap<string, Resource>;
  /** Where the OAuth 2.0 endpoints are, without a slash at the end (spec: {auth_url}); null: there are none. */
  readonly authUrl: string | null;
  readonly actions: readonly Action[];
  /** The resource at a path; throws for an unknown one, which is a mistake in a definition. */
  resource(path: readonly string[]): Resource;
}

/** Every version of the API, the default one first. */
export type Apis = readonly [Api, ...Api[]];
