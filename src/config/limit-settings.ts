// The settings that limit what clients may ask for.
import { DEFAULT_UPSTREAM_LIMITS } from '../loaders/operation-cost.ts';
import { DEFAULT_COST_BUDGETS } from '../operation/cost/cost-budget.ts';
import { DEFAULT_QUERY_LIMITS } from '../operation/cost/query-limits.ts';
import { DEFAULT_LIMITS } from '../operation/limits.ts';
import { DEFAULT_DESCRIPTION_LIMITS } from '../schema/description-limits.ts';
import { group, setting } from './setting.ts';
import { integer } from './values.ts';

/** Defines a limit, at least 1. */
const limit = (flag: string, fallback: number, help: string) =>
  setting(integer(1).default(fallback), { flag: `${flag} N`, help });

const { tokens, brackets, depth, aliases, rootFields, directives, fragments, cost } = DEFAULT_QUERY_LIMITS;
const { credential, address } = DEFAULT_COST_BUDGETS;
const { calls, anonymousCalls, bytes } = DEFAULT_UPSTREAM_LIMITS;
const { length, actions, cachedLength, cachedSchemas } = DEFAULT_DESCRIPTION_LIMITS;
const { connections, connectionsOfAddress, requestsOfAddress, shutdownTimeout } = DEFAULT_LIMITS;
const { keepAliveTimeout, requestsOfConnection, drainTime } = DEFAULT_LIMITS;

/** All limits, in groups of options that are passed on as they are. */
export const limits = group(
  {
    query: group({
      tokens: limit('--max-tokens', tokens, 'tokens of a document, comments aside'),
      brackets: limit('--max-brackets', brackets, 'brackets within brackets in a document'),
      depth: limit(
        '--max-depth',
        depth,
        'fields within fields, through fragments; introspection tools need 15',
      ),
      aliases: limit('--max-aliases', aliases, 'aliases in a document'),
      rootFields: limit(
        '--max-root-fields',
        rootFields,
        'fields at the top of an operation, through fragments',
      ),
      directives: limit('--max-directives', directives, 'directives in a document'),
      fragments: limit('--max-fragments', fragments, 'fragments in a document'),
      cost: limit('--max-cost', cost, 'estimated fields in a result, lists multiplied by their `first`'),
    }),
    cost: group({
      credential: limit(
        '--cost-per-credential',
        credential,
        'estimated fields in a minute, for one credential',
      ),
      address: limit('--cost-per-address', address, 'the same for one IPv4 address or IPv6 /64 network'),
    }),
    operation: group({
      calls: limit('--max-calls', calls, 'upstream calls of one operation'),
      anonymousCalls: limit('--max-anonymous-calls', anonymousCalls, 'the same for anonymous callers'),
      bytes: limit(
        '--max-answer-bytes',
        bytes,
        'bytes of all responses of the management API for one operation',
      ),
    }),
    description: group({
      length: limit('--max-description-length', length, 'characters of a description'),
      actions: limit('--max-actions', actions, 'actions of a description'),
      cachedLength: limit(
        '--max-cached-length',
        cachedLength,
        'characters of all descriptions whose schemas are cached; a schema takes about six bytes for each',
      ),
      cachedSchemas: limit('--max-schemas', cachedSchemas, 'cached schemas'),
    }),
    transport: group({
      connections: limit('--max-connections', connections, 'open connections of clients'),
      connectionsOfAddress: limit(
        '--max-connections-per-address',
        connectionsOfAddress,
        'the same for one address',
      ),
      requestsOfAddress: limit(
        '--max-requests-per-address',
        requestsOfAddress,
        'requests, streams and WebSockets in progress for one address',
      ),
      keepAliveTimeout: setting(integer(1).default(keepAliveTimeout), {
        flag: '--keep-alive-timeout MS',
        help: 'time that a connection may be idle between two requests, in milliseconds; set it longer than the idle timeout of a proxy in front',
      }),
      requestsOfConnection: limit(
        '--max-requests-per-connection',
        requestsOfConnection,
        'requests of one connection, which is then closed',
      ),
      drainTime: setting(integer(0).default(drainTime), {
        flag: '--drain-time MS',
        help: 'time for which a process that is asked to stop still takes requests, while `/readyz` answers 503, in milliseconds; set it longer than load balancers need to find this',
      }),
      shutdownTimeout: setting(integer(1).default(shutdownTimeout), {
        flag: '--shutdown-timeout MS',
        help: 'time for operations under way when the process is asked to stop, in milliseconds',
      }),
    }),
  },
  'Limits',
);
