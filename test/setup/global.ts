// Builds what the tests run, and starts the browser that all end-to-end tests share.
import { execFile } from 'node:child_process';
import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type BrowserServer, chromium } from 'playwright-core';
import type { TestProject } from 'vitest/node';
import { isInstalled, OTHER_FOLDERS } from './other-packages.ts';
import { isEndToEndTest, isProgramTest } from './spread-sequencer.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** Where the browser accepts connections; null without a browser. */
    browser: string | null;
    /** What the build has said; empty where nothing was built. */
    built: string;
  }
}

const ARGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--disable-quic',
  // The browser reaches only this machine, and resolves no names.
  '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1',
];

// The shell has no user interface, and needs two thirds of Chromium's time.
const CANDIDATES = ['/usr/bin/chromium-headless-shell', '/usr/bin/chromium'];

/** Returns what stops the browser. */
export default async function setup(project: TestProject): Promise<(() => Promise<void>) | undefined> {
  const runScript = (name: string) =>
    promisify(execFile)('npm', ['run', '--silent', name], { cwd: project.config.root });
  for (const folder of OTHER_FOLDERS.filter((other) => !isInstalled(other)))
    console.warn(`SKIPPED: the tests in ${folder} need other packages (npm run install:others)`);
  const paths = project.vitest.state.getPaths();
  if (!paths.some(isEndToEndTest)) {
    // Tests of the command line run the program, those of transports load the explorer's page. A build that is up to date takes no time.
    if (paths.some(isProgramTest)) await runScript('build');
    else if (paths.some((path) => path.includes('/test/server/'))) await runScript('build:explorer');
    project.provide('built', '');
    return undefined;
  }
  // Tests of the command line run what users run, and one of them reads what a build says.
  rmSync(join(project.config.root, '.cache/build/whole.sha256'), { force: true });
  const others = isInstalled('examples') ? [runScript('build:examples')] : [];
  const [server, { stderr }] = await Promise.all([launchBrowser(), runScript('build'), ...others]);
  project.provide('built', stderr);
  project.provide('browser', server?.wsEndpoint() ?? null);
  return () => server?.close() ?? Promise.resolve();
}

async function launchBrowser(): Promise<BrowserServer | null> {
  const executablePath = process.env['CHROMIUM'] ?? CANDIDATES.find(existsSync);
  if (executablePath !== undefined && existsSync(executablePath))
    return chromium.launchServer({ executablePath, args: ARGS });
  console.warn('SKIPPED: there is no Chromium (set CHROMIUM), so the explorer is not tested');
  return null;
}
