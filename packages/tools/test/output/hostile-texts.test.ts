// Tests that texts of an API control neither the terminal nor the shell, by any command.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildSchema, isObjectType } from 'graphql';
import { afterAll, describe, expect, test } from 'vitest';
import { runCli } from '../../../../test/helpers/cli.ts';
import { runInProcess } from '../../../../test/helpers/cli-in-process.ts';
import { action, describeApi, list, type Raw, resource } from '../../../../test/helpers/describe-api.ts';
import { makeFolder } from '../../../../test/helpers/folder.ts';
import { readJsonLines } from '../../../../test/helpers/json-lines.ts';
import { ACTION_STATE, createRunningActions } from '../../../../test/helpers/running-actions.ts';
import { ok, refuse, startStub } from '../../../../test/helpers/stub-upstream.ts';
import { runOnTerminal } from '../../../../test/helpers/terminal.ts';

const ESCAPE = '\u001b';
/** Sets the clipboard and the title, clears the screen, goes back, and reverses the direction, by 7-bit and 8-bit codes. */
const HOSTILE =
  'a\u001b]52;c;cHduZWQ=\u0007b\u001b[2Jc\u009b31md\u009d0;x\u009ce\rf\bg\u007fh\u202ei\u2066j\u200fk\u061cl\u2028m\u0085n';

/** Control characters but line breaks, and those that change the direction or break lines elsewhere. */
const CONTROL = /[^\P{Cc}\n]|[\p{Bidi_C}\u2028\u2029]/u;

const text = (more: Raw = {}): Raw => ({
  ...{ type: 'String', label: HOSTILE, description: HOSTILE, validators: {} },
  ...more,
});
const WORDS = { include: { values: { [HOSTILE]: HOSTILE }, message: HOSTILE } };
const BOOK = { id: { ...text(), type: 'Integer' }, title: text({ deprecated: HOSTILE }) };
const ASKED = { namespace: 'token', auth: false, method: 'POST', path: '/_auth/token/tokens' };
const SIGN_IN = action({
  ...ASKED,
  input: { user: text({ required: true }), password: text({ required: true, protected: true }) },
  output: { token: 'String', valid_to: 'Datetime', complete: 'Boolean', next_action: 'String' },
});
const resources = {
  book: resource({
    index: {
      ...list('book', 'books', BOOK, { auth: false, input: { title: text({ default: HOSTILE }) } }),
      description: HOSTILE,
    },
    create: action({
      ...{ path: '/books', method: 'POST', namespace: 'book', auth: false },
      input: { title: text(), kind: text({ validators: WORDS }) },
      output: BOOK,
    }),
  }),
  [`odd${HOSTILE}`]: resource({ index: list('odd', 'odd', { [HOSTILE]: text() }, { namespace: HOSTILE }) }),
  action_state: ACTION_STATE,
};
const HOSTILE_API = {
  ...describeApi(resources),
  authentication: {
    token: {
      http_header: 'X-Library-Token',
      query_parameter: 'library_token',
      resources: { token: resource({ request: SIGN_IN }) },
    },
  },
};

function startHostile(description: Raw = HOSTILE_API) {
  const actions = createRunningActions();
  actions.set({ id: 7, label: HOSTILE, finished: true, status: true });
  return startStub(description, {
    ...actions.handlers,
    'book#index': () => ok({ books: [{ id: 1, title: HOSTILE }] }),
    'book#create': () => refuse(HOSTILE, { title: [HOSTILE] }),
    'token#request': () => refuse(HOSTILE, { user: [HOSTILE] }),
  });
}

const api = await startHostile();
afterAll(() => api[Symbol.asyncDispose]());

async function run(...args: readonly string[]) {
  const env = { UPSTREAM_URL: api.url.href, OPTIONGRAPH_TOKEN: 'a-token-of-mine' };
  const result = await runInProcess(args, env);
  expect(result.stdout + result.stderr).not.toMatch(CONTROL);
  return result;
}

const BOOKS = '{ books { nodes { title } } }';
const PAGED =
  'query ($endCursor: String) { books(after: $endCursor) { nodes { title } pageInfo { hasNextPage endCursor } } }';
const CREATE = 'mutation { bookCreate(input: {}) { userErrors { message } } }';

describe('texts of the API do not control the terminal', () => {
  const commands: readonly (readonly [number, readonly string[]])[] = [
    ...['json', 'ndjson', 'table'].map((format) => [0, ['query', '--format', format, BOOKS]] as const),
    [0, ['describe', '--format', 'table']],
    [0, ['watch', '7', '--format', 'table']],
    [1, ['doctor', '--format', 'table']],
    [0, ['query', '--paginate', PAGED]],
    [1, ['query', CREATE]],
    [2, ['query', '{ bok }']],
    [0, ['explain', BOOKS]],
    [0, ['explain', CREATE]],
    [0, ['schema', 'print', '--federation']],
  ];
  test.each(commands)('by exit code %i of %j', async (expected, args) => {
    const { code, stdout, stderr } = await run(...args);
    expect([code, stdout + stderr]).toEqual([expected, expect.stringMatching(/\w/)]);
  });

  test('and are whole in JSON', async () => {
    const { stdout } = await run('query', '--select', 'books.nodes[0].title', BOOKS);
    expect(JSON.parse(stdout)).toBe(HOSTILE);
    const described = await run('describe', '--format', 'ndjson');
    expect(readJsonLines(described.stdout)[0].description).toBe(HOSTILE);
  });

  test('and are whole in schemas', async () => {
    const { stdout } = await run('schema', 'print');
    const book = buildSchema(stdout).getType('Book');
    const title = isObjectType(book) ? book.getFields()['title'] : undefined;
    expect(title?.description).toContain(HOSTILE);
    expect(title?.deprecationReason).toBe(HOSTILE);
    const introspected = await run('schema', 'json');
    expect(JSON.stringify(JSON.parse(introspected.stdout))).toContain(JSON.stringify(HOSTILE).slice(1, -1));
  });

  test('at a sign-in that the API refuses, or on a terminal', async () => {
    using folder = makeFolder();
    const login = ['login', '--upstream', api.url.href];
    const env = { XDG_CONFIG_HOME: folder.path };
    const refused = await runInProcess(login, env, 'me\nsecret\n');
    expect(refused).toMatchObject({
      code: 4,
      stderr: expect.stringMatching(/did not let you sign in: a.*n$/m),
    });
    expect(refused.stderr).not.toMatch(CONTROL);
    await using terminal = runOnTerminal(login, env);
    await terminal.shows(/n: /);
    terminal.type('me\n');
    await terminal.shows(/n: [\s\S]*n: /);
    terminal.type('secret\n');
    // The terminal and readline move the cursor.
    const shown = (await terminal.ended).replaceAll(new RegExp(`${ESCAPE}[d*[GJ]|\r`, 'g'), '');
    expect(shown).not.toMatch(CONTROL);
  });

  test('and forge no lines of a log', async () => {
    const broken = { ...BOOK, other: text({ type: HOSTILE }) };
    const more = resource({ index: list('book', 'books', broken), [HOSTILE]: HOSTILE });
    await using api = await startHostile(describeApi({ ...resources, [HOSTILE]: more }));
    const args = ['serve', '--port', '0', '--upstream', api.url.href];
    await using server = runCli(args, { NO_COLOR: '1' });
    await server.waitForOutput(/"event":"finding"[\s\S]*GraphiQL in a browser: \S+.*\n/);
    server.signal('SIGTERM');
    const { stdout, stderr } = await server.ended;
    expect(stdout + stderr).not.toMatch(CONTROL);
  });
});

test('one file of the tools and of the program writes to the terminal, and the log', () => {
  const root = fileURLToPath(new URL('../../../../', import.meta.url));
  const writing = ['src', 'packages/tools/src'].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
      .map((file) => join(folder, file))
      .filter(
        (file) =>
          file.endsWith('.ts') &&
          /\bstd(out|err)\.write\b|\bconsole\.\w+\(|_rawDebug/.test(readFileSync(join(root, file), 'utf8')),
      ),
  );
  // The log masks what controls a terminal in `createLog`.
  expect(writing).toEqual(['src/cli/serve/open-log.ts', 'packages/tools/src/command-line/output.ts']);
});
