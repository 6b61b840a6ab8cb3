// Builds the program, and starts the browser that all end-to-end tests share.
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chromium } from 'playwright-core';
import type { TestProject } from 'vitest/node';

declare module 'vitest' {
  interface ProvidedContext {
    /** Where the browser accepts connections; null without a browser. */
    browser: string | null;
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
  // Tests of the command line run what users run.
  execFileSync('npm', ['run', '--silent', 'build'], { cwd: project.config.root, stdio: 'inherit' });
  execFileSync('npm', ['run', '--silent', 'build:examples'], { cwd: project.config.root, stdio: 'inherit' });
  const executablePath = process.env['CHROMIUM'] ?? CANDIDATES.find(existsSync);
  if (executablePath === undefined || !existsSync(executablePath)) {
    console.warn('SKIPPED: there is no Chromium (set CHROMIUM), so the explorer is not tested');
    project.provide('browser', null);
    return undefined;
  }
  const server = await chromium.launchServer({ executablePath, args: ARGS });
  project.provide('browser', server.wsEndpoint());
  return () => server.close();
}
