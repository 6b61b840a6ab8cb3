// Runs the protocol's own conformance suite and its inspector against the door for agents.
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { startAgents } from '../../../packages/mcp/test/agents.ts';
import { addCredential } from './with-credential.ts';

const run = promisify(execFile);
const INSTALLED = new URL('../node_modules/@modelcontextprotocol/', import.meta.url);
const SUITE = new URL('conformance/dist/index.js', INSTALLED).pathname;
const INSPECTOR = new URL('inspector/clients/launcher/build/index.js', INSTALLED).pathname;

/** The scenarios for any server. The others call tools, prompts and resources of the suite's own server. */
const SCENARIOS = [
  'server-initialize',
  'ping',
  'tools-list',
  'server-sse-multiple-streams',
  'dns-rebinding-protection',
];

it('passes the scenarios of the suite that apply to any server', async () => {
  await using agents = await startAgents();
  await using door = await addCredential(agents.url, agents.headers('admin'));
  for (const scenario of SCENARIOS) {
    const args = [SUITE, 'server', '--url', door.url.href, '--scenario', scenario];
    const { stdout } = await run(process.execPath, args);
    expect(stdout).toMatch(/\b0 failed\b/);
  }
}, 120_000);

it('lists and calls all tools by the command line of the inspector', async () => {
  await using agents = await startAgents();
  await using door = await addCredential(agents.url, agents.headers('admin'));
  const inspect = async (...args: readonly string[]) => {
    const target = ['--cli', door.url.href, '--transport', 'http'];
    const { stdout } = await run(process.execPath, [INSPECTOR, ...target, ...args]);
    return JSON.parse(stdout) as { tools: { name: string }[]; content: { text: string }[] };
  };
  const call = async (name: string, ...args: readonly string[]) => {
    const given = args.flatMap((arg) => ['--tool-arg', arg]);
    const { content } = await inspect('--method', 'tools/call', '--tool-name', name, ...given);
    return content[0]?.text ?? '';
  };
  const { tools } = await inspect('--method', 'tools/list');
  expect(tools.map(({ name }) => name)).toEqual(['search_schema', 'query', 'follow_action', 'write']);
  expect(await call('search_schema', 'words=create a dataset')).toContain('Mutation.datasetCreate');
  expect(await call('query', 'document={ datasets(first: 1) { nodes { id } } }')).toContain('"dataset/');
  const mutation =
    'mutation { datasetCreate(input: { name: "inspected" }) { actionState { id } userErrors { message } } }';
  const { plan } = JSON.parse(await call('write', `document=${mutation}`));
  const written = await call('write', `document=${mutation}`, `plan=${plan}`);
  const [, action] = /"actionState":\{"id":"([^"]+)"/.exec(written) ?? [];
  expect(await call('follow_action', `id=${action}`)).toContain('"finished":true');
}, 120_000);
