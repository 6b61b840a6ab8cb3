// Parses the address of Redis.

/** Where Redis is. */
export interface RedisAddress {
  /** `server`: one server. `sentinel`: the primary that a Sentinel names. `cluster`: a Redis Cluster. */
  readonly kind: 'server' | 'sentinel' | 'cluster';
  readonly hasTls: boolean;
  /** Null for none. */
  readonly username: string | null;
  readonly password: string | null;
  /** One host for a server; those of Sentinels, or of some nodes of a cluster. Empty for a Unix socket. */
  readonly hosts: readonly { readonly host: string; readonly port: number }[];
  /** The file of a Unix socket; null for none. */
  readonly socket: string | null;
  /** The name of the primary at the Sentinels; null without them. */
  readonly primary: string | null;
  readonly database: number;
}

const ADDRESS =
  /^redis(?<tls>s?)(?:\+(?<kind>sentinel|cluster))?:\/\/(?:(?<login>[^@/]*)@)?(?<hosts>[^@/]+)(?<path>\/.*)?$/;
const SOCKET = /^(?:redis\+)?unix:\/\/(?:(?<login>[^@/]*)@)?(?<file>\/.+)$/;
const PATHS = {
  server: /^(?:\/(?<database>\d{0,5}))?$/,
  sentinel: /^\/(?<primary>[\w.-]+)(?:\/(?<database>\d{1,5}))?$/,
  cluster: /^\/?$/,
} as const;
const PORTS = { server: 6379, sentinel: 26_379, cluster: 6379 } as const;

/** Parses an address; null when it is none. */
export function parseRedisAddress(text: string): RedisAddress | null {
  const socket = SOCKET.exec(text)?.groups;
  if (socket !== undefined)
    return {
      ...NONE,
      ...readLogin(socket['login']),
      socket: socket['file'] ?? null,
    };
  const { tls, kind = 'server', login, hosts = '', path = '' } = ADDRESS.exec(text)?.groups ?? {};
  if (kind !== 'server' && kind !== 'sentinel' && kind !== 'cluster') return null;
  const found = PATHS[kind].exec(path)?.groups ?? (PATHS[kind].test(path) ? {} : null);
  const parsed = hosts.split(',').map((host) => readHost(host, PORTS[kind]));
  const known = parsed.filter((host) => host !== null);
  if (found === null || known.length < parsed.length || (kind === 'server' && known.length > 1)) return null;
  return {
    ...NONE,
    ...readLogin(login),
    kind,
    hasTls: tls === 's',
    hosts: known,
    primary: found['primary'] ?? null,
    database: Number(found['database'] || 0),
  };
}

const NONE: RedisAddress = {
  kind: 'server',
  hasTls: false,
  username: null,
  password: null,
  hosts: [],
  socket: null,
  primary: null,
  database: 0,
};

function readLogin(login: string | undefined): Pick<RedisAddress, 'username' | 'password'> {
  const [username = '', password = ''] = (login ?? '').split(/:(.*)/s).map(decode);
  return { username: username || null, password: password || null };
}

/** A text that is not percent-encoded is taken as it is. */
function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function readHost(text: string, fallback: number): RedisAddress['hosts'][number] | null {
  if (!URL.canParse(`redis://${text}`)) return null;
  const { hostname, port } = new URL(`redis://${text}`);
  return hostname === '' ? null : { host: hostname.replace(/^\[|\]$/g, ''), port: Number(port || fallback) };
}
