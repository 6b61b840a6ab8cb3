// The command `mcp`: serves an agent over standard input and output, as one caller of the API.
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import type { AgentApi } from '@optiongraph/mcp/agent-api';
import { ANSWER_TOKENS, createAgentServer } from '@optiongraph/mcp/agent-server';
import { openClient } from './client/open-client.ts';
import { EXIT_CODES } from './command-line/exit-codes.ts';
import type { CallerConfig } from './login/use-profile.ts';

interface McpOptions {
  readonly readOnly: boolean;
  readonly answerTokens?: number;
}

/** Serves until the agent closes standard input. @returns The exit code. */
export async function serveAgent(config: CallerConfig, options: McpOptions): Promise<number> {
  await using client = await openClient(config);
  const { readOnly, answerTokens = ANSWER_TOKENS } = options;
  const agent: AgentApi = {
    readSchema: () => client.readSchema(),
    ask: (request) => client.ask(request, { 'optiongraph-via': 'mcp' }),
    subscribe: async (request) => client.subscribe(request),
    // Another GraphQL server could carry out what is only to be checked.
    canDryRun: !client.isServer,
  };
  const shared = { key: randomBytes(32), readOnly, answerTokens, version: '1' };
  const server = serveStdio(() => createAgentServer(agent, '', shared));
  await once(process.stdin, 'close');
  await server.close();
  return EXIT_CODES.ok;
}
