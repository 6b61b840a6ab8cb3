// Builds the explorer's page before tests that load it; nothing is done if it is up to date.
import { execFileSync } from 'node:child_process';
import type { TestProject } from 'vitest/node';

/** Runs what users run. */
export default function setup(project: TestProject): void {
  execFileSync('npm', ['run', '--silent', 'build:explorer'], { cwd: project.config.root, stdio: 'inherit' });
}
