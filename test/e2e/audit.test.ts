// Tests the file of the audit: what a killed process leaves, rotation, and a full disk. RUNS=100 kills more processes.
import { existsSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { type AuditLine, auditLine } from '../../src/plugins/audit/audit.ts';
import { ADDRESS, runCli } from '../helpers/cli.ts';
import { makeFolder } from '../helpers/folder.ts';
import { readJsonLines } from '../helpers/json-lines.ts';
import type { RunningProcess } from '../helpers/running-process.ts';
import { recordOutput } from '../helpers/secrecy.ts';
import { type Handler, ok, startStub } from '../helpers/stub-upstream.ts';
import { post } from '../helpers/transports.ts';
import { WORKSHOP } from '../helpers/workshop.ts';

const POINTS = Number(process.env['RUNS'] ?? 4);
/** Clients that write at the same time, and the writes of each. */
const CLIENTS = 4;
const WRITES = 5;

/** The lines of a file. The last one may be cut. */
function readLines(file: string): readonly AuditLine[] {
  const text = existsSync(file) ? readFileSync(file, 'utf8') : '';
  recordOutput('the audit', text);
  return readJsonLines(text.slice(0, text.lastIndexOf('\n') + 1)).map((line) => auditLine.parse(line));
}

const targetsOf = (lines: readonly AuditLine[]): ReadonlySet<string | null> =>
  new Set(lines.flatMap((line) => (line.event === 'sent' ? [line.target] : [])));

/** Sends a mutation of several writes. Null when the server ends. */
async function stamp(url: string, ids: readonly number[]): Promise<Record<string, unknown> | null> {
  const fields = ids.map((id) => `a${id}: toolStamp(id: ${id}) { userErrors { code } }`);
  const response = await post(
    url,
    { query: `mutation { ${fields.join(' ')} }` },
    { 'x-library-token': 'one', connection: 'close' },
  ).catch(() => null);
  return (await response?.json().catch(() => null)) ?? null;
}

const answer: Handler = ({ path: [id] }) =>
  ok({ tool: { id: Number(id), name: 'saw', weight: 1, owner: null } });

test(
  `no write reaches the API without a line, at whichever of ${POINTS} points the process is killed`,
  async () => {
    using folder = makeFolder();
    const file = join(folder.path, 'audit.jsonl');
    const arrived: string[] = [];
    let onWrite: (count: number) => void = () => undefined;
    await using upstream = await startStub(WORKSHOP, {
      'tool#stamp': (call) => {
        arrived.push(`tool/${call.path[0]}`);
        onWrite(arrived.length);
        return answer(call);
      },
    });
    const env = { OPTIONGRAPH_AUDIT_FILE: file };
    let nextId = 1;
    for (let point = 0; point < POINTS; point += 1) {
      await using server = runCli(['serve', '--port', '0', '--upstream', upstream.url.href], env);
      const [, url = ''] = await server.waitForOutput(ADDRESS);
      const last = arrived.length + 1 + ((point * 7) % (CLIENTS * WRITES));
      onWrite = (count) => {
        if (count === last) killAfter(server, point % 4);
      };
      const clients = Array.from({ length: CLIENTS }, () => {
        const ids = Array.from({ length: WRITES }, () => nextId++);
        return stamp(url, ids);
      });
      await Promise.all(clients);
      await server.ended;
    }
    const lines = readLines(file);
    const recorded = targetsOf(lines);
    expect(arrived.filter((target) => !recorded.has(target))).toEqual([]);
    expect(arrived.length).toBeGreaterThan(POINTS);
    // What was begun is there without an answer.
    const answered = new Set(lines.flatMap((line) => (line.event === 'answered' ? [line.write] : [])));
    const begun = lines.filter(({ event, write }) => event === 'sent' && !answered.has(write));
    expect(begun.length).toBeGreaterThan(0);
  },
  120_000 + POINTS * 10_000,
);

/** Kills a process after some turns of this one. */
function killAfter(server: RunningProcess, turns: number): void {
  if (turns === 0) server.signal('SIGKILL');
  else setImmediate(() => killAfter(server, turns - 1));
}

describe('a file', () => {
  test('on a full disk refuses writes, and no reads', async () => {
    await using upstream = await startStub(WORKSHOP, { 'tool#stamp': answer });
    await using server = runCli(['serve', '--port', '0', '--upstream', upstream.url.href], {
      OPTIONGRAPH_AUDIT_FILE: '/dev/full',
    });
    const [, url = ''] = await server.waitForOutput(ADDRESS);
    for (const id of [1, 2])
      expect(await stamp(url, [id])).toMatchObject({
        errors: [{ extensions: { code: 'WRITE_UNRECORDED' } }],
      });
    expect(upstream.calls).toEqual([]);
    const read = await fetch(`${url}?query={__typename}`);
    expect(read.status).toBe(200);
    await server.waitForOutput(/cannot be written, so writes are refused until it can/);
    expect(server.stdout.match(/writes are refused/g)).toHaveLength(1);
  });

  test('on another disk is used from the next line on, with the lines that wait', async () => {
    await using upstream = await startStub(WORKSHOP, { 'tool#stamp': answer });
    using folder = makeFolder();
    const [name, file] = [join(folder.path, 'audit'), join(folder.path, 'other')];
    symlinkSync('/dev/full', name);
    await using server = runCli(['serve', '--port', '0', '--upstream', upstream.url.href], {
      OPTIONGRAPH_AUDIT_FILE: name,
    });
    const [, url = ''] = await server.waitForOutput(ADDRESS);
    expect(await stamp(url, [1])).toMatchObject({ errors: [{ extensions: { code: 'WRITE_UNRECORDED' } }] });
    rmSync(name);
    symlinkSync(file, name);
    expect(await stamp(url, [2])).not.toHaveProperty('errors');
    await expect.poll(() => readLines(file)).toHaveLength(4);
    expect(targetsOf(readLines(file)).size).toBe(2);
  });

  test('that cannot be opened ends the start', async () => {
    await using server = runCli(['serve', '--sandbox', '--port', '0'], {
      OPTIONGRAPH_AUDIT_FILE: '/nowhere/audit',
    });
    expect(await server.ended).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('The file of audit.file, "/nowhere/audit", cannot be opened: ENOENT.'),
    });
  });
});
