// Watches a test run for secrets in its output: logs, errors, traces and answers.
import diagnostics from 'node:diagnostics_channel';

// Secrets are what the facade and the tests' own clients send as a credential, or under a name that means one. Shorter
// values are names and ids, which outputs may hold.
const SHORTEST = 10;
const SECRET_HEADER = /^(authorization|cookie|.*token|.*api-key)$/i;
const SECRET_NAME = /pass|secret|token|^code|_key$|verifier/i;
/** Paths that hold a secret: dynamic updates of DNS records. */
const SECRET_PATH = /\/dynamic_update\/([^/?]+)/;

const secrets = new Set<string>();
const outputs: { readonly where: string; readonly text: string }[] = [];
let isWatchingRequests = false;
let isWatchingOutput = false;

/** Records a text that must hold no secret. */
export function recordOutput(where: string, text: string): void {
  outputs.push({ where, text });
}

/** Secrets in the outputs since the last call. */
export function takeLeaks(): readonly string[] {
  const leaks = outputs.flatMap(({ where, text }) =>
    [...secrets]
      .filter((secret) => text.includes(secret))
      .map((secret) => `${where} holds ${secret}: ${text}`),
  );
  outputs.length = 0;
  return leaks;
}

/** Forgets the secrets of earlier test files: another file may use the same value as a name. */
export function forgetSecrets(): void {
  secrets.clear();
  outputs.length = 0;
}

/** Records what is written to the terminal. */
export function watchOutput(): void {
  if (isWatchingOutput) return;
  isWatchingOutput = true;
  for (const name of ['stdout', 'stderr'] as const) {
    const stream = process[name];
    const write = stream.write.bind(stream) as (...given: unknown[]) => boolean;
    stream.write = (...given: unknown[]) => {
      recordOutput(name, String(given[0]));
      return write(...given);
    };
  }
  for (const name of ['log', 'info', 'warn', 'error', 'debug'] as const) {
    const write = console[name].bind(console);
    console[name] = (...given: unknown[]) => {
      recordOutput(`console.${name}`, given.map(String).join(' '));
      write(...given);
    };
  }
}

interface SentRequest {
  readonly path: string;
  readonly headers: readonly string[];
  readonly body: unknown;
}

/** Collects the secrets of every request that this thread sends. */
export function watchRequests(): void {
  if (isWatchingRequests) return;
  isWatchingRequests = true;
  diagnostics.subscribe('undici:request:create', (message) => {
    const { path, headers, body } = (message as { readonly request: SentRequest }).request;
    for (let i = 0; i + 1 < headers.length; i += 2) {
      if (SECRET_HEADER.test(headers[i] ?? '')) collectFromHeader(headers[i + 1] ?? '');
    }
    collect(SECRET_PATH.exec(path)?.[1] ?? '');
    if (typeof body === 'string' || body instanceof Uint8Array)
      collectFromBody(Buffer.from(body).toString('utf8'));
  });
}

function collect(value: string): void {
  if (value.length >= SHORTEST) secrets.add(value);
}

/** A credential counts with and without its scheme, and each cookie on its own. */
function collectFromHeader(value: string): void {
  for (const part of value.split(/; */)) {
    collect(part);
    const [, own = ''] = /^(?:Bearer |Basic |[\w-]+=)(.+)$/.exec(part) ?? [];
    collect(own);
  }
}

function collectFromBody(body: string): void {
  if (body.startsWith('{')) {
    JSON.parse(body, (name, value: unknown) => {
      if (SECRET_NAME.test(name) && typeof value === 'string') collect(value);
      return value;
    });
    return;
  }
  for (const [name, value] of new URLSearchParams(body)) if (SECRET_NAME.test(name)) collect(value);
}
