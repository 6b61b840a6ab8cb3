// The settings of limits. Each has the key that it has in the option `limits` of the library, and a flag that follows from it.
import type * as z from 'zod';
import { DEFAULT_LIMITS, type Limits } from '../operation/limits.ts';
import { group, setting } from './setting.ts';
import { integer } from './values.ts';

/** Defines the settings of a group from their help texts. Those of times have 0 in place of 1 as the least value where it is given. */
function limitGroup<Group extends keyof Limits, Key extends keyof Limits[Group] & string>(
  name: Group,
  help: Readonly<Record<Key, string>>,
  least: Partial<Record<Key, number>> = {},
) {
  const define = (key: Key) => {
    const isTime = /Time(out)?$/.test(key);
    const flag = `--limits-${name}-${key.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
    return setting(
      integer(least[key] ?? 1).default(DEFAULT_LIMITS[name][key] as number),
      `${flag} ${isTime ? 'MS' : 'N'}`,
      {
        help: isTime ? `${help[key]}; in milliseconds` : help[key],
      },
    );
  };
  const keys = Object.keys(help) as Key[];
  return group(
    Object.fromEntries(keys.map((key) => [key, define(key)])) as Record<Key, z.ZodDefault<z.ZodInt>>,
  );
}

/** All limits that an operator may change. */
export const limits = group(
  {
    document: limitGroup('document', {
      characters: 'characters of the text of a document',
      lines: 'lines of the text of a document',
      tokens: 'tokens of a document, comments aside',
      values: 'items of lists and fields of objects in the variables of an operation',
      brackets: 'brackets within brackets in a document',
      depth: 'fields within fields, through fragments; introspection tools need 15',
      aliases: 'aliases in a document',
      rootFields: 'fields at the top of an operation, through fragments',
      directives: 'directives in a document',
      fragments: 'fragments in a document',
    }),
    cost: limitGroup('cost', {
      operation: 'estimated fields in the result of an operation, lists multiplied by their `first`',
      credentialPerMinute: 'estimated fields in a minute, for one credential',
      addressPerMinute: 'the same for one IPv4 address or IPv6 /64 network',
    }),
    operation: limitGroup('operation', {
      queryTime: 'time for a query from its arrival; its reads are then aborted',
      mutationTime: 'the same for a mutation; its next writes are then not sent',
      resultSize: 'characters of a result, or of an event of a subscription',
    }),
    idempotency: limitGroup('idempotency', {
      callerBytes:
        'bytes of the results of mutations with idempotency keys that are recorded for one caller in a day; a result counts as 1,024 at least, and an anonymous network has a sixteenth',
      bytes: 'the same for all callers',
      resultSize: 'characters of one such result; of a larger one, only the fact is recorded',
    }),
    live: limitGroup('live', {
      queries: 'live queries that one caller has open',
      intervalTime:
        'time from the end of one execution of a live query to the next, where the query does not say',
      minimumTime: 'shortest such time that a live query may have',
      maximumTime: 'longest such time that a live query may have',
    }),
    upstream: limitGroup('upstream', {
      calls: 'calls of the management API for one operation',
      anonymousCalls: 'the same for anonymous callers',
      bytes: 'bytes of all responses of the management API for one operation',
      memory:
        'bytes of memory for the responses to all operations of a process together; a response takes two for each of its bytes',
    }),
    description: limitGroup('description', {
      length: 'characters of a description',
      actions: 'actions of a description',
      cachedLength:
        'characters of all descriptions whose schemas are cached; a schema takes about six bytes for each',
      cachedSchemas: 'cached schemas',
    }),
    transport: limitGroup(
      'transport',
      {
        connections: 'open connections of clients',
        connectionsOfAddress: 'the same for one address',
        requestsOfAddress: 'requests, streams and WebSockets in progress for one address',
        keepAliveTimeout:
          'time that a connection may be idle between two requests; set it longer than the idle timeout of a proxy in front',
        requestsOfConnection: 'requests of one connection, which is then closed',
        drainTime:
          'time for which a process that is asked to stop still takes requests, while `/readyz` answers 503; set it longer than load balancers need to find this',
        shutdownTimeout: 'time for operations under way when the process is asked to stop',
      },
      { drainTime: 0 },
    ),
  },
  'Limits',
);
