// Tests the unit of systemd with systemd's own checks, and that the files for the audit fit to it.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const UNIT = fileURLToPath(new URL('../../deploy/optiongraph.service', import.meta.url));
const ANALYZE = '/usr/bin/systemd-analyze';
const isMissing = !existsSync(ANALYZE);
if (isMissing) console.warn('SKIPPED: there is no systemd-analyze, so the unit of systemd is not checked');

/** `systemd-analyze` asks the running systemd for nothing when it checks a file. */
const analyze = (...args: readonly string[]) => spawnSync(ANALYZE, [...args, UNIT], { encoding: 'utf8' });

it.skipIf(isMissing)('is valid', () => {
  const { status, stderr } = analyze('verify', '--man=no');
  expect({
    status,
    problems: stderr.split('\n').filter((line) => line.includes('optiongraph.service')),
  }).toEqual({ status: 0, problems: [] });
});

it.skipIf(isMissing)('has an exposure of less than 2 of 10, as systemd judges', () => {
  expect(analyze('security', '--offline=yes', '--threshold=20', '--no-pager').status).toBe(0);
});

it('makes the folder of the audit, which rsyslog and logrotate read', () => {
  const read = (name: string): string =>
    readFileSync(new URL(`../../deploy/${name}`, import.meta.url), 'utf8');
  expect(read('audit/logrotate.conf')).toContain('\n/var/log/optiongraph/audit.jsonl {');
  expect(read('audit/rsyslog.conf')).toContain('file="/var/log/optiongraph/audit.jsonl"');
  expect(read('optiongraph.service')).toContain('\nLogsDirectory=optiongraph\n');
});
