// The command `mcp`: serves an agent over standard input and output, as one caller of the API.
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { type AgentApi, type AgentOptions, createAgentServer } from '@optiongraph/mcp/agent-server';
import { openApi } from './client/open-api.ts';
import { EXIT_CODES } from './command-line/exit-codes.ts';
import type { CallerConfig } from './login/use-profile.ts';

interface McpOptions {
  readonly readOnly: boolean;
  readonly answerTokens?: number;
}

/**
 * Serves until the agent closes standard input.
 * @returns The exit code.
 * @throws As `openApi` does.
 */
export async function serveAgent(config: CallerConfig, options: McpOptions): Promise<number> {
  await using opened = await openApi(config);
  const { client, served } = opened;
  const api: AgentApi = {
    readSchema: async () => served.schema,
    run: async (request) =>
      request.query.startsWith('subscription') ? client.subscribe(request) : client.ask(request),
  };
  const shared: AgentOptions = { key: randomBytes(32), answerTokens: 4_000, ...options };
  const server = serveStdio(() => createAgentServer(api, '', shared));
  await once(process.stdin, 'close');
  await server.close();
  return EXIT_CODES.ok;
}
