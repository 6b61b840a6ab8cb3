// The settings of logs and metrics.
import { LOG_LEVELS } from '../log.ts';
import { group, optional, setting } from './setting.ts';
import { choice, integer, text } from './values.ts';

/** What is logged, and how. */
export const log = group(
  {
    level: setting(choice(...LOG_LEVELS).default('info'), '--log-level LEVEL', {
      help: 'the least important lines to write: `info`, `warn`, `error`, or `off` for none',
    }),
    format: setting(choice('auto', 'json', 'pretty').default('auto'), null, {
      help: '`json`: a JSON object a line. `pretty`: for people. `auto`: `pretty` on a terminal, else `json`',
    }),
    slowOperation: setting(integer(1).default(5_000), null, {
      help: 'queries and mutations that take so long are logged as warnings with their calls; in milliseconds',
    }),
  },
  'Log',
);

/** Where writes are recorded. */
export const audit = group(
  {
    file: setting(optional(text()), null, {
      help: 'file or pipe that gets lines of JSON about each write; while it cannot be written, writes are refused',
      defaultText: 'none: writes are not recorded',
    }),
  },
  'Audit',
);

/** Where metrics are served. */
export const metrics = group(
  {
    port: setting(optional(integer(0, 65_535)), null, {
      help: 'TCP port of its own for `/metrics`, open to everyone who reaches it',
      defaultText: 'none: at the port of GraphQL, for clients on this machine only',
    }),
    host: setting(text().default('127.0.0.1'), null, {
      help: 'address for `metrics.port`',
    }),
  },
  'Metrics',
);
