// The limits of the facade: what a client, an operation or a description may take.
import { DEFAULT_UPSTREAM_LIMITS } from '../loaders/operation-cost.ts';
import { DEFAULT_DESCRIPTION_LIMITS } from '../schema/registry.ts';
import { MAX_WAIT } from '../schema/resolve/write.ts';

/** A limit that an operator may set. */
export interface Limit {
  readonly value: number;
  /** What it is, in the form of `SettingTraits.help`. The unit of a time, milliseconds, is added. */
  readonly help: string;
  /** The least value. */
  readonly least: number;
}

const setting = (value: number, help: string, least = 1): Limit => ({ value, help, least });

const MIB = 1_048_576;

/** All limits with their defaults: those that an operator may set, and numbers, which only the library has as options. */
export const LIMITS = {
  /** Of a document, checked before it is validated: they keep the worst valid document below 60 ms. Characters, tokens without comments. */
  documentSize: 65_536,
  documentTokens: 2_000,
  /** Fields of one selection set with the same name, and fragments in it. */
  repeatedFields: 50,
  /** About half a second of processor time. */
  operationCost: setting(
    50_000,
    'estimated fields in the result of an operation, lists multiplied by their `first`',
  ),
  /** A sixth of one processor, and a third for an address: see `BASE_COST`. */
  credentialCost: setting(
    100_000,
    'estimated fields in four seconds, for one credential or the anonymous callers of a network',
  ),
  addressCost: setting(200_000, 'the same for all callers of one IPv4 address or IPv6 /64 network'),
  anonymousCost: setting(50_000, 'estimated fields in one second, for all anonymous callers of one process'),
  operationsUnderWay: setting(
    200,
    'queries and mutations under way for one credential, or for the anonymous callers of a network',
  ),
  queryTime: setting(30_000, 'time for a query from its arrival; its reads are then aborted'),
  /** The same for a mutation; its next writes are then not sent. A write under way has the deadline of its own call. */
  mutationTime: 60_000 + MAX_WAIT * 1_000,
  resultSize: setting(16 * MIB, 'characters of the texts in a result, or in an event of a subscription'),
  /** GraphQL documents of people and tools are far smaller. */
  bodySize: setting(1_000_000, 'bytes of a request body, and of a WebSocket message'),
  calls: setting(DEFAULT_UPSTREAM_LIMITS.calls, 'calls of the management API for one operation'),
  anonymousCalls: DEFAULT_UPSTREAM_LIMITS.anonymousCalls,
  /** Bytes of all responses of the management API for one operation. */
  responseBytes: DEFAULT_UPSTREAM_LIMITS.responseBytes,
  responseMemory: setting(
    DEFAULT_UPSTREAM_LIMITS.responseMemory,
    'bytes of responses that a process receives at a time; calls wait from half of them on',
  ),
  /** Characters and actions of a description. */
  descriptionLength: DEFAULT_DESCRIPTION_LIMITS.descriptionLength,
  describedActions: DEFAULT_DESCRIPTION_LIMITS.describedActions,
  cachedDescriptions: setting(
    DEFAULT_DESCRIPTION_LIMITS.cachedDescriptions,
    'characters of all descriptions whose schemas are cached, each about eleven bytes of memory',
  ),
  cachedSchemas: DEFAULT_DESCRIPTION_LIMITS.cachedSchemas,
  /** Live queries that one caller has open. Anonymous callers of one network are one caller. */
  liveQueries: 200,
  /** Milliseconds between two executions of a live query that names no interval; shortest and longest interval. */
  liveInterval: 5_000,
  shortestLiveInterval: 1_000,
  longestLiveInterval: 3_600_000,
  /** Bytes of results of mutations with keys that are recorded in a day: for one caller or anonymous network, each result 1,024 at least. */
  recordedBytesOfCaller: 16 * MIB,
  /** The same for all callers. Those of one network have a quarter, and so have all anonymous ones. */
  recordedBytes: 256 * MIB,
  /** Bytes of one such result; of a larger one, only the fact is recorded. */
  recordedResultSize: MIB,
  drainTime: setting(
    0,
    'time for which a process that stops still takes requests, while `/readyz` answers 503',
    0,
  ),
  /** The reads of operations are aborted afterwards. */
  shutdownTime: setting(25_000, 'time for operations under way when the process stops'),
  /** Milliseconds over which WebSockets are closed at a shutdown, and for which clients may read their last answers. */
  closeSpread: 5_000,
} as const satisfies Readonly<Record<string, Limit | number>>;

/** All limits, with their names in the configuration file, whose documents explain them. */
export type Limits = { readonly [Name in keyof typeof LIMITS]: number };

/** Limits that differ from the defaults. */
export type LimitOptions = Partial<Limits>;

/** The limits without configuration. */
export const DEFAULT_LIMITS = Object.fromEntries(
  Object.entries(LIMITS).map(([name, limit]) => [name, typeof limit === 'number' ? limit : limit.value]),
) as Limits;

/** Adds the defaults to limits. */
export const completeLimits = (given: LimitOptions = {}): Limits => ({ ...DEFAULT_LIMITS, ...given });
