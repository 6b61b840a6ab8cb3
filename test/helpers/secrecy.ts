import diagnostics from 'node:diagnostics_channel';

/**
 * Watches over a whole test run that no secret is told: what the facade and the tests' own clients send as a credential, or
 * under a name that means one, must be in no log line, error or trace. Names and ids are too short to be taken for one.
 */

const SHORTEST = 10;
const SECRET_HEADER = /^(authorization|cookie|.*token|.*api-key)$/i;
const SECRET_NAME = /pass|secret|token|^code|_key$|verifier/i;
/** Paths that hold a secret (UPSTREAM: dynamic updates of DNS records). */
const SECRET_PATH = /\/dynamic_update\/([^/?]+)/;

const secrets = new Set<string>();
const told: { readonly where: string; readonly text: string }[] = [];

/** Keeps a text in which no secret may be. */
export function tell(where: string, text: string): void {
  told.push({ where, text });
}

/** What was told since the last look, and which secrets were in it. */
export function takeLeaks(): readonly string[] {
  const leaks = told.flatMap(({ where, text }) =>
    [...secrets]
      .filter((secret) => text.includes(secret))
      .map((secret) => `${where} tells ${secret}: ${text}`),
  );
  told.length = 0;
  return leaks;
}

function keepSecret(value: string): void {
  if (value.length >= SHORTEST) secrets.add(value);
}

interface SentRequest {
  readonly path: string;
  readonly headers: readonly string[];
  readonly body: unknown;
}

/** Learns the secrets of every request that is sent from this thread, whoever sends it. */
export function watchRequests(): void {
  diagnostics.subscribe('undici:request:create', (message) => {
    const { path, headers, body } = (message as { readonly request: SentRequest }).request;
    for (let i = 0; i + 1 < headers.length; i += 2) {
      if (SECRET_HEADER.test(headers[i] ?? '')) learnHeader(headers[i + 1] ?? '');
    }
    keepSecret(SECRET_PATH.exec(path)?.[1] ?? '');
    if (typeof body === 'string' || body instanceof Uint8Array) learnBody(Buffer.from(body).toString('utf8'));
  });
}

/** With or without its scheme, and each cookie on its own. */
function learnHeader(value: string): void {
  for (const part of value.split(/; */)) {
    keepSecret(part);
    const [, own = ''] = /^(?:Bearer |Basic |[\w-]+=)(.+)$/.exec(part) ?? [];
    keepSecret(own);
  }
}

function learnBody(body: string): void {
  if (body.startsWith('{')) {
    JSON.parse(body, (name, value: unknown) => {
      if (SECRET_NAME.test(name) && typeof value === 'string') keepSecret(value);
      return value;
    });
    return;
  }
  for (const [name, value] of new URLSearchParams(body)) if (SECRET_NAME.test(name)) keepSecret(value);
}
