// The command `sandbox`: serves the sandbox's REST API and its snippet service.
import { listenSandbox } from '@optiongraph/sandbox';
import { listenSnippets } from '@optiongraph/sandbox/snippets';
import { print } from '@optiongraph/tools/command-line/output';
import { onStopSignal, outliveReader } from '../process.ts';
import { CREDENTIALS_HIDDEN, describeCredentials } from './describe-credentials.ts';
import type { SandboxConfig } from './sandbox-settings.ts';

/** Serves until a signal stops the process. */
export async function serveSandbox({ host, port, habits }: SandboxConfig): Promise<void> {
  outliveReader();
  const sandbox = await listenSandbox({ host, port, ...habits });
  const snippets = await listenSnippets({ host, allowAnonymous: habits.snippetsNeedKey !== true });
  onStopSignal(async () => {
    await sandbox.close();
    await snippets.close();
  });
  print(`The sandbox's management API is at ${sandbox.url}/`);
  print(`Its snippet service is at ${snippets.url}/\n`);
  print(process.stdout.isTTY ? describeCredentials(sandbox, snippets, 'api_key') : CREDENTIALS_HIDDEN);
}
