// Writes an operation as what people run elsewhere. The values of headers stay in this page; variables of the environment replace them.
import { readShape } from './read-shape.ts';

/** An operation as it is to be executed elsewhere. */
export interface CopiedOperation {
  /** Address of the endpoint. */
  readonly url: string;
  readonly query: string;
  /** Null for none, and for a document with one operation. */
  readonly operationName: string | null;
  /** Null for none. */
  readonly variables: Readonly<Record<string, unknown>> | null;
  /** The names of the headers that the operation needs. */
  readonly headers: readonly string[];
}

/** The ways to write an operation. */
export const COPY_FORMS = { curl: toCurl, 'optiongraph query': toCommand, fetch: toFetch } as const;

/** The variable of the environment that holds the value of a header; those of credentials are also the ones of the command line. */
export function variableOf(header: string, tokenHeader: string | null): string {
  const name = header.toLowerCase();
  if (name === 'authorization') return 'OPTIONGRAPH_AUTHORIZATION';
  return name === tokenHeader?.toLowerCase()
    ? 'OPTIONGRAPH_TOKEN'
    : name.toUpperCase().replaceAll(/[^A-Z\d]/g, '_');
}

const quote = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

const isStreamed = ({ query, operationName }: CopiedOperation): boolean =>
  readShape(query, operationName).isStream;

const bodyOf = ({ query, operationName, variables }: CopiedOperation): Record<string, unknown> => ({
  query,
  ...(operationName === null ? {} : { operationName }),
  ...(variables === null ? {} : { variables }),
});

function toCurl(operation: CopiedOperation, tokenHeader: string | null): string {
  const isStream = isStreamed(operation);
  return [
    `curl ${isStream ? '-N ' : ''}${quote(operation.url)}`,
    "-H 'content-type: application/json'",
    ...(isStream ? ["-H 'accept: text/event-stream'"] : []),
    ...operation.headers.map((header) => `-H "${header}: $${variableOf(header, tokenHeader)}"`),
    `--data-raw ${quote(JSON.stringify(bodyOf(operation)))}`,
  ].join(' \\\n  ');
}

/** The command reads the credential from its own variables. */
function toCommand({ url, query, operationName, variables }: CopiedOperation): string {
  return [
    `optiongraph query --upstream ${quote(url)}`,
    ...(operationName === null ? [] : [`--operation ${operationName}`]),
    ...(variables === null ? [] : [`--variables ${quote(JSON.stringify(variables))}`]),
    quote(query),
  ].join(' \\\n  ');
}

function toFetch(operation: CopiedOperation, tokenHeader: string | null): string {
  const isStream = isStreamed(operation);
  const { query, ...rest } = bodyOf(operation);
  const literal = String(query).replaceAll(/[\\`]|\$\{/g, '\\$&');
  const members = Object.entries(rest).map(
    ([name, value]) => `${name}: ${JSON.stringify(value, null, 2).replaceAll('\n', '\n    ')},`,
  );
  return [
    `const response = await fetch(${JSON.stringify(operation.url)}, {`,
    "  method: 'POST',",
    '  headers: {',
    "    'content-type': 'application/json',",
    ...(isStream ? ["    accept: 'text/event-stream',"] : []),
    ...operation.headers.map(
      (header) => `    ${JSON.stringify(header)}: process.env.${variableOf(header, tokenHeader)},`,
    ),
    '  },',
    '  body: JSON.stringify({',
    ...[`query: \`${literal}\`,`, ...members].map((line) => `    ${line}`),
    '  }),',
    '});',
    isStream
      ? 'for await (const part of response.body.pipeThrough(new TextDecoderStream())) console.log(part);'
      : 'console.log(await response.json());',
  ].join('\n');
}
