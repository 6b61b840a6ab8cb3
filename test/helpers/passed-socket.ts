// Starts the program with a listening socket, as systemd does.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { fileURLToPath } from 'node:url';

/** The program with the socket that it was started with. */
export interface SocketProcess {
  readonly child: ChildProcess;
  /** The port of the socket. */
  readonly port: number;
  /** What the program has printed so far. */
  readonly output: () => string;
}

/** @param args Arguments of the program, as a shell reads them. */
export async function startWithSocket(args: string): Promise<SocketProcess> {
  const outer = createServer().listen(0, '127.0.0.1');
  await once(outer, 'listening');
  const { port } = outer.address() as { readonly port: number };
  const { fd } = (outer as unknown as { readonly _handle: { readonly fd: number } })._handle;
  // As systemd does, the shell sets the process id and keeps it.
  const script = `LISTEN_PID=$$ LISTEN_FDS=1 exec "$0" dist/cli/main.js ${args}`;
  const child = spawn('sh', ['-c', script, process.execPath], {
    cwd: fileURLToPath(new URL('../../', import.meta.url)),
    env: { PATH: process.env['PATH'] },
    stdio: ['ignore', 'pipe', 'inherit', fd],
  });
  outer.close();
  let output = '';
  child.stdout?.on('data', (chunk: Buffer) => {
    output += chunk;
  });
  return { child, port, output: () => output };
}
