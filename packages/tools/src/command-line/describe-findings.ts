// Formats the findings about a description.
import type { Finding } from '../../../../src/index.ts';

/** Formats findings: one line for each code and reason, with all its paths. */
export function describeFindings(findings: readonly Finding[]): readonly string[] {
  const pathsByFinding = new Map<string, string[]>();
  for (const { code, path, reason } of findings) {
    const key = `${code}: ${reason}`;
    pathsByFinding.set(key, [...(pathsByFinding.get(key) ?? []), path]);
  }
  return [...pathsByFinding].map(([key, paths]) => `${key} (${paths.length}: ${paths.join(', ')})`);
}
