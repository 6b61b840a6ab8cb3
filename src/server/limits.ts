// The limits of the facade, in the groups of the configuration file: what a client, an operation or a description may take.
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

const KIB = 1_024;
const MIB = 1_024 * KIB;

/** All limits with their defaults: those that an operator may set, and others, which only the library has as options. */
export const LIMITS = {
  /** Of a document, checked before it is validated: they keep the worst valid document below 60 ms. */
  document: {
    size: setting(65_536, 'characters of the text of a document'),
    tokens: setting(2_000, 'tokens of a document, comments aside'),
    repeatedFields: setting(50, 'fields of one selection set with the same name, and fragments in it'),
  },
  /** Of the estimated cost. */
  cost: {
    /** About half a second of processor time. */
    operation: setting(
      50_000,
      'estimated fields in the result of an operation, lists multiplied by their `first`',
    ),
    /** A sixth of one processor, and a third for an address: see `BASE_COST`. */
    credentialPerMinute: setting(
      1_500_000,
      'estimated fields in a minute, for one credential, or for the anonymous callers of a network',
    ),
    addressPerMinute: setting(3_000_000, 'the same for all callers of one IPv4 address or IPv6 /64 network'),
  },
  /** Of one operation while it is executed. */
  operation: {
    queryTime: setting(30_000, 'time for a query from its arrival; its reads are then aborted'),
    /** A write under way has the deadline of its own call. */
    mutationTime: setting(
      60_000 + MAX_WAIT * 1_000,
      'the same for a mutation; its next writes are then not sent',
    ),
    resultSize: setting(16 * MIB, 'characters of the texts in a result, or in an event of a subscription'),
    underWay: setting(
      200,
      'queries and mutations under way for one credential, or for the anonymous callers of a network',
    ),
  },
  /** Of what is recorded of mutations with idempotency keys. */
  idempotency: {
    callerBytes: setting(
      16 * MIB,
      'bytes of results that are recorded for one caller in a day, each 1,024 at least; an anonymous network has a sixteenth',
    ),
    bytes: setting(256 * MIB, 'the same for all callers; those of one network have a quarter'),
    resultSize: setting(MIB, 'bytes of one such result; of a larger one, only the fact is recorded'),
  },
  /** Of live queries. Anonymous callers of one network are one caller. */
  live: {
    queries: setting(200, 'live queries that one caller has open'),
    intervalTime: setting(5_000, 'time between two executions of a live query that names no interval'),
    minimumTime: setting(1_000, 'shortest interval of a live query'),
    maximumTime: setting(3_600_000, 'longest interval of a live query'),
  },
  /** Of what operations may use of the management API. */
  upstream: {
    calls: setting(DEFAULT_UPSTREAM_LIMITS.calls, 'calls of the management API for one operation'),
    anonymousCalls: setting(DEFAULT_UPSTREAM_LIMITS.anonymousCalls, 'the same for anonymous callers'),
    bytes: setting(
      DEFAULT_UPSTREAM_LIMITS.bytes,
      'bytes of all responses of the management API for one operation',
    ),
    memory: setting(
      DEFAULT_UPSTREAM_LIMITS.memory,
      'bytes of the responses of the management API that a process receives at a time; calls wait from half of them on',
    ),
  },
  /** Of descriptions and of cached schemas. */
  description: {
    length: setting(DEFAULT_DESCRIPTION_LIMITS.length, 'characters of a description'),
    actions: setting(DEFAULT_DESCRIPTION_LIMITS.actions, 'actions of a description'),
    cachedLength: setting(
      DEFAULT_DESCRIPTION_LIMITS.cachedLength,
      'characters of all descriptions whose schemas are cached, each about eleven bytes of memory',
    ),
    cachedSchemas: setting(DEFAULT_DESCRIPTION_LIMITS.cachedSchemas, 'cached schemas'),
  },
  /** Of HTTP and WebSocket connections. Sizes are in bytes, times in milliseconds. */
  transport: {
    /** Largest request body and WebSocket message. GraphQL documents of people and tools are far smaller. */
    bodySize: setting(1_000_000, 'bytes of a request body, and of a WebSocket message'),
    drainTime: setting(
      0,
      'time for which a process that is asked to stop still takes requests, while `/readyz` answers 503',
      0,
    ),
    /** The reads of operations are aborted afterwards. */
    shutdownTimeout: setting(25_000, 'time for operations under way when the process is asked to stop'),
    /** Time over which WebSockets are closed at a shutdown, and for which clients may read their last answers. */
    closeSpread: 5_000,
  },
} as const satisfies Readonly<Record<string, Readonly<Record<string, Limit | number>>>>;

type Groups = typeof LIMITS;

/** All limits. Each group and each of its keys has the same name in the configuration file, whose documents explain them. */
export type Limits = {
  readonly [Group in keyof Groups]: { readonly [Key in keyof Groups[Group]]: number };
};

/** Limits that differ from the defaults. */
export type LimitOptions = { readonly [Group in keyof Limits]?: Partial<Limits[Group]> };

/** Limits of connections. */
export type TransportLimits = Limits['transport'];

/** Adds the defaults to limits. The groups are new objects, to which `changeLimits` can assign others. */
export function completeLimits(given: LimitOptions = {}): Limits {
  const groups = Object.entries(LIMITS).map(([name, limits]) => [
    name,
    { ...defaultsOf(limits), ...given[name as keyof Limits] },
  ]);
  return Object.fromEntries(groups) as Limits;
}

const defaultsOf = (limits: Readonly<Record<string, Limit | number>>): Record<string, number> =>
  Object.fromEntries(
    Object.entries(limits).map(([name, limit]) => [name, typeof limit === 'number' ? limit : limit.value]),
  );

/** The limits without configuration. */
export const DEFAULT_LIMITS = completeLimits();

/** The groups that can change while a facade serves. Of the others, other parts have copies. */
export const CHANGEABLE_LIMITS = ['document', 'cost', 'live', 'upstream', 'transport'] as const;

/** Changes limits that are in use, as far as they can change. */
export function changeLimits(limits: Limits, changed: LimitOptions): void {
  for (const group of CHANGEABLE_LIMITS) Object.assign(limits[group], changed[group]);
}
