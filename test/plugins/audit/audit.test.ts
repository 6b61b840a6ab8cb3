// Tests the audit of writes: a line before each is sent, one for its answer, and one for the end of its action.
import { beforeEach, describe, expect, it } from 'vitest';
import { type AuditLine, auditLine } from '../../../src/plugins/audit/audit.ts';
import { startPair } from '../../helpers/facade.ts';
import { LocalDeployment } from '../../helpers/local-deployment.ts';
import { recordOutput } from '../../helpers/secrecy.ts';
import { shareWorkshop } from '../../helpers/shared-api.ts';
import { type Handler, hangUp, ok, refuse, reply } from '../../helpers/stub-upstream.ts';
import { STREAMS, TRANSPORTS } from '../../helpers/transports.ts';
import { openWorkshop } from '../../helpers/workshop.ts';

const headers = { 'x-library-token': 'one' };
const STAMP = 'mutation { toolStamp(id: 5) { userErrors { code } } }';
const SHARPEN = (wait: string): string => `mutation { toolSharpen(id: 5${wait}) { userErrors { code } } }`;

const REFUSED = { 'action_state#cancel': () => refuse('no') };

/** An audit that a test reads. */
function keepAudit() {
  const lines: AuditLine[] = [];
  const audit = {
    isFull: false,
    lines,
    options: {
      write: async (text: string) => {
        recordOutput('the audit', text);
        lines.push(auditLine.parse(JSON.parse(text)));
        return !audit.isFull;
      },
    },
  };
  return audit;
}

const audit = keepAudit();
const shop = shareWorkshop({}, { audit: audit.options });
beforeEach(() => {
  audit.lines.length = 0;
  audit.isFull = false;
});

/** The lines of an audit without what differs in each run. */
const shapesOf = (lines: readonly AuditLine[]) => lines.map(({ event, action }) => `${event} ${action}`);

describe.each(TRANSPORTS)('over %s, a write', (_name, send) => {
  it('has a line before it is sent, and one with its answer', async () => {
    const atSending: number[] = [];
    const stamp: Handler = ({ path: [id] }) => {
      atSending.push(audit.lines.length);
      return ok({ tool: { id: Number(id), name: 'saw', weight: 1, owner: null } });
    };
    shop.answer({ 'tool#stamp': stamp });
    const query = 'mutation { one: toolStamp(id: 5) { tool { id } } two: toolStamp(id: 6) { tool { id } } }';
    await send(shop.url, { query }, headers);
    expect(atSending).toEqual([1, 3]);
    const [sent, answered] = audit.lines;
    expect(sent).toEqual({
      event: 'sent',
      time: expect.any(String),
      hostname: expect.any(String),
      pid: process.pid,
      write: expect.any(String),
      requestId: expect.any(String),
      action: 'tool#stamp',
      traceId: null,
      via: null,
      caller: { kind: 'token', user: null, credential: expect.stringMatching(/^[\w-]{22}$/) },
      field: 'Mutation.toolStamp',
      target: 'tool/5',
      inputs: [],
    });
    expect(answered).toMatchObject({
      event: 'answered',
      write: sent?.write,
      requestId: sent?.requestId,
      outcome: 'done',
      status: 200,
      code: null,
      result: 'tool/5',
      actionId: null,
    });
    expect(audit.lines[2]).toMatchObject({ event: 'sent', target: 'tool/6' });
    expect(audit.lines[2]?.write).not.toBe(sent?.write);
  });

  it('is not sent when its line cannot be written', async () => {
    audit.isFull = true;
    const { errors } = await send(shop.url, { query: STAMP }, headers);
    expect(errors).toMatchObject([{ extensions: { code: 'WRITE_UNRECORDED', retryable: true } }]);
    expect(shop.upstream.calls).toEqual([]);
    expect(audit.lines.at(-1)).toMatchObject({ outcome: 'not_sent', code: 'WRITE_UNRECORDED' });
    // With a key, the same request can be sent again.
    const extensions = { idempotencyKey: 'key' };
    await send(shop.url, { query: STAMP, extensions }, headers);
    audit.isFull = false;
    expect((await send(shop.url, { query: STAMP, extensions }, headers)).errors).toBeUndefined();
  });
});

describe('the lines', () => {
  it('name inputs and parents, and never a value', async () => {
    await shop.ask('mutation { toolPartCreate(tool: 5, input: { name: "hidden value" }) { part { id } } }');
    expect(audit.lines).toMatchObject([
      { action: 'tool.part#create', target: 'tool/5', inputs: ['name'] },
      { result: 'tool/5/part/9' },
    ]);
    expect(JSON.stringify(audit.lines)).not.toContain('hidden value');
  });

  it.each([
    ['a conflict', () => refuse('no', null, 409), { outcome: 'refused', status: 409, code: 'CONFLICT' }],
    ['a lock', () => refuse('no', null, 423), { outcome: 'refused', status: 423, code: 'RESOURCE_LOCKED' }],
    ['bad input', () => refuse('no', { name: ['x'] }), { outcome: 'refused', status: 200, code: 'INVALID' }],
    ['another refusal', () => refuse('no'), { outcome: 'refused', status: 200, code: 'REFUSED' }],
    ['missing rights', () => refuse('no', null, 403), { outcome: 'refused', status: 403, code: 'FORBIDDEN' }],
    ['a lost response', () => hangUp, { outcome: 'unknown', status: null, code: 'OUTCOME_UNKNOWN' }],
    ['a gateway', () => reply('', 503), { outcome: 'not_sent', status: 503, code: 'UPSTREAM_UNAVAILABLE' }],
  ])(
    'say the outcome of %s, with the code that the client gets',
    async (_what, answer: Handler, expected) => {
      shop.answer({ 'tool#stamp': answer });
      const { data, errors } = await shop.ask(STAMP);
      expect(audit.lines).toMatchObject([{ event: 'sent' }, { event: 'answered', ...expected }]);
      const seen = data?.['toolStamp'] as { userErrors: readonly { code: string }[] } | null | undefined;
      expect(seen?.userErrors[0]?.code ?? errors?.[0]?.extensions?.['code']).toBe(expected.code);
    },
  );

  it.each([
    [REFUSED, 'NOT_CANCELLABLE'],
    [{ ...REFUSED, 'action_state#show': () => refuse('no', null, 404) }, 'NOT_FOUND'],
  ])('of a refused cancel have the code that the client gets', async (answers, code) => {
    shop.answer(answers);
    const { data, errors } = await shop.ask(
      'mutation { actionStateCancel(id: 500) { userErrors { code } } }',
    );
    expect(JSON.stringify([data, errors])).toContain(code);
    expect(audit.lines.at(-1)).toMatchObject({ event: 'answered', outcome: 'refused', code });
  });

  it('are none for reads, and for input that is refused before a call', async () => {
    await shop.ask('{ tool(id: 5) { name } }');
    await shop.ask('mutation { toolCreate(input: { name: "x" }) { userErrors { code } } }');
    expect(audit.lines).toEqual([]);
  });

  it('name the trace of the client', async () => {
    const trace = '4bf92f3577b34da6a3ce929d0e0e4736';
    await shop.ask(STAMP, { headers: { traceparent: `00-${trace}-00f067aa0ba902b7-01` } });
    expect(audit.lines[0]).toMatchObject({ traceId: trace });
  });

  it('name the user where the API tells who the caller is, which is asked once', async () => {
    await using pair = await startPair({ facade: { audit: audit.options } });
    const create = 'mutation { datasetSnapshotCreate(dataset: 1, input: {}) { userErrors { code } } }';
    const first = await pair.ask(create);
    const second = await pair.ask(create);
    expect([first.calls, second.calls]).toEqual([2, 1]);
    const callers = audit.lines.flatMap((line) => (line.event === 'sent' ? [line.caller] : []));
    expect(callers).toMatchObject([
      { kind: 'token', user: 'user/1' },
      { kind: 'token', user: 'user/1' },
    ]);
    expect(
      await pair.ask(
        'mutation { tokenRequest(input: { user: "nobody", password: "wrong", lifetime: FIXED }) { userErrors { code } } }',
        { login: null },
      ),
    ).toBeDefined();
    expect(audit.lines.at(-2)).toMatchObject({
      caller: { kind: 'anonymous', user: null, credential: null },
      inputs: expect.arrayContaining(['user', 'password']),
    });
  });

  it('hash a credential alike with the same secret', async () => {
    const hashes: unknown[] = [];
    for (const secret of ['one secret'.repeat(3), 'one secret'.repeat(3), 'another secret'.repeat(3)]) {
      const audit = keepAudit();
      await using shop = await openWorkshop({}, { audit: { ...audit.options, secret } });
      await shop.ask(STAMP);
      const [sent] = audit.lines;
      hashes.push(sent?.event === 'sent' ? sent.caller.credential : null);
    }
    expect(hashes[0]).toBe(hashes[1]);
    expect(hashes[0]).not.toBe(hashes[2]);
  });
});

describe('the end of an action', () => {
  it('is a line when the mutation waits for it', async () => {
    shop.actions.set({ id: 500, finished: true, status: false });
    await shop.ask(SHARPEN(', wait: 10'));
    expect(audit.lines).toMatchObject([
      { event: 'sent' },
      { event: 'answered', outcome: 'done', actionId: '500' },
      { event: 'ended', actionId: '500', outcome: 'failed', write: audit.lines[0]?.write },
    ]);
  });

  it.each(STREAMS)('is a line when a subscription over %s sees it, once', async (_name, send) => {
    await shop.ask(SHARPEN(''));
    shop.actions.set({ id: 500, finished: true, status: true });
    const query = 'subscription { actionProgress(id: 500) { outcome } }';
    for (let time = 0; time < 2; time += 1) await send(shop.url, { query }, headers);
    expect(shapesOf(audit.lines)).toEqual(['sent', 'answered', 'ended'].map((end) => `${end} tool#sharpen`));
    expect(audit.lines.at(-1)).toMatchObject({ outcome: 'succeeded' });
  });

  it('is a line of the replica that has written, when another one sees it', async () => {
    const [one, two] = [keepAudit(), keepAudit()];
    const deployment = new LocalDeployment();
    const openReplica = ({ options }: typeof one) =>
      openWorkshop(
        {},
        { audit: options, upstream: shop.upstream.url, shared: { replicas: deployment.join() } },
      );
    await using writer = await openReplica(one);
    await using reader = await openReplica(two);
    await writer.ask(SHARPEN(''));
    shop.actions.set({ id: 500, finished: true, status: true });
    const { url } = await reader.listen();
    const [, send] = STREAMS[1] ?? [];
    await send?.(url, { query: 'subscription { actionProgress(id: 500) { outcome } }' }, headers);
    await expect.poll(() => shapesOf(one.lines)).toContain('ended tool#sharpen');
    expect(two.lines).toEqual([]);
  });

  it('is no line while nothing watches the action', async () => {
    await using shop = await openWorkshop({}, { audit: audit.options });
    await shop.ask(SHARPEN(''));
    shop.actions.set({ id: 500, finished: true, status: true });
    await shop.ask('{ session { authenticated } }');
    expect(shapesOf(audit.lines)).toEqual(['sent tool#sharpen', 'answered tool#sharpen']);
  });
});
