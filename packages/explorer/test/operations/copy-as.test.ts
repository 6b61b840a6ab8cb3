// Tests that copied operations run elsewhere as they do in the explorer, and hold no credential.
import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import { openServer } from '../../../../src/server/server.ts';
import { startPair } from '../../../../test/helpers/facade.ts';
import { runNode } from '../../../../test/helpers/running-process.ts';
import { COPY_FORMS, type CopiedOperation, variableOf } from '../../src/operations/copy-as.ts';

const TOKEN_HEADER = 'X-Service-Auth-Token';
const operation: CopiedOperation = {
  url: 'https://example.org/graphql',
  query: `query It($id: ID!) { dataset(id: $id) { id } } # \`\${it}\` isn't "\\x"
query Other { session { method } }`,
  operationName: 'It',
  variables: { id: 'dataset/12' },
  headers: ['x-service-auth-token'],
};

/** Runs a copied text to its end, and returns its output. */
function run(form: 'curl' | 'fetch', copied: string, token: string): Promise<string> {
  const env = { OPTIONGRAPH_TOKEN: token };
  if (form === 'fetch')
    return runNode(['--input-type=module', '-e', copied], { env }).ended.then(({ stdout }) => stdout);
  return text(spawn('sh', ['-c', copied], { env, stdio: ['ignore', 'pipe', 'ignore'] }).stdout);
}

describe('a copied operation', () => {
  it.each(['curl', 'fetch'] as const)(
    'is executed by %s, with the credential of the environment',
    async (form) => {
      await using pair = await startPair();
      await using server = await openServer({ host: '127.0.0.1', port: 0 });
      server.serve([pair.facade]);
      const copied = COPY_FORMS[form]({ ...operation, url: `${server.origin}/graphql` }, TOKEN_HEADER);
      const token = pair.headers('user')[TOKEN_HEADER] ?? '';
      expect(token).not.toBe('');
      const output = await run(form, copied, token);
      expect(output).toMatch(
        /dataset"?: \{ ?"?id"?: ?['"]dataset\/12['"] ?\}|"dataset":\{"id":"dataset\/12"\}/,
      );
    },
  );

  it('is a command of optiongraph, which has the credential from its variables', () => {
    expect(COPY_FORMS['optiongraph query'](operation)).toBe(
      [
        "optiongraph query --upstream 'https://example.org/graphql'",
        '--operation It',
        `--variables '{"id":"dataset/12"}'`,
        `'${operation.query.replace("'", "'\\''")}'`,
      ].join(' \\\n  '),
    );
  });

  it('asks for a stream where the result comes in parts', () => {
    const live = {
      ...operation,
      query: 'query @live { session { method } }',
      operationName: null,
      headers: [],
    };
    expect(COPY_FORMS.curl({ ...live, variables: null }, null)).toBe(
      [
        "curl -N 'https://example.org/graphql'",
        "-H 'content-type: application/json'",
        "-H 'accept: text/event-stream'",
        `--data-raw '{"query":"query @live { session { method } }"}'`,
      ].join(' \\\n  '),
    );
    expect(COPY_FORMS.fetch(live, null)).toContain('for await (const part of response.body');
  });

  it.each([
    ['Authorization', 'OPTIONGRAPH_AUTHORIZATION'],
    ['x-service-auth-token', 'OPTIONGRAPH_TOKEN'],
    ["X-Trace'", 'X_TRACE_'],
  ])('has the value of the header %s in the variable %s', (header, variable) => {
    expect(variableOf(header, TOKEN_HEADER)).toBe(variable);
  });
});
