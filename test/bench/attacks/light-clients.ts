// The process of the light clients, each of which asks the same at fixed times and measures each answer.
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as pause } from 'node:timers/promises';
import { Agent, request } from 'undici';
import { onOperationMessage, openSocket, subscribeMessage } from './bench-socket.ts';
import type { LightClient, LightFigures, LightOrder, LightReport, Target } from './orders.ts';
import { addOutcomes, Tally } from './tally.ts';

/** Longest time to wait for what is under way at the end. Milliseconds. */
const REST = 60_000;
const NANOSECONDS = 1_000_000;

/** Sends one operation, and resolves with its result. */
type Ask = () => Promise<Buffer>;

const agent = new Agent({ connections: null, headersTimeout: 0, bodyTimeout: 0 });
const delay = monitorEventLoopDelay({ resolution: 1 });

/** A client at work. */
class WorkingClient {
  readonly #client: LightClient;
  readonly #ask: Ask;
  #waits: number[] = [];
  #tally = new Tally();
  /** When what has no answer yet was sent. */
  readonly #open = new Set<{ readonly sentAt: number }>();
  #timer: NodeJS.Timeout | null = null;

  private constructor(client: LightClient, ask: Ask) {
    this.#client = client;
    this.#ask = ask;
  }

  /** Resolves when the client has got its first answer. */
  static async start(target: Target, client: LightClient): Promise<WorkingClient> {
    const ask = client.over === 'HTTP' ? askOverHttp(target, client) : await askOverSocket(target, client);
    const working = new WorkingClient(client, ask);
    await ask();
    // Not all clients ask at the same time.
    await pause(Math.random() * client.interval);
    working.#repeat(performance.now());
    return working;
  }

  measure(): void {
    this.#waits = [];
    this.#tally = new Tally();
  }

  /** Sends nothing more, and resolves when nothing is under way, or it has waited long enough. */
  async stop(): Promise<LightReport> {
    if (this.#timer !== null) clearTimeout(this.#timer);
    const until = performance.now() + REST;
    while (this.#open.size > 0 && performance.now() < until) await pause(10);
    const { group, over } = this.#client;
    const unanswered = [...this.#open].map(({ sentAt }) => performance.now() - sentAt);
    return { group, over, waits: [...this.#waits, ...unanswered], outcomes: this.#tally.outcomes };
  }

  #repeat(due: number): void {
    void this.#send();
    const next = Math.max(due + this.#client.interval, performance.now());
    this.#timer = setTimeout(() => this.#repeat(next), next - performance.now());
  }

  async #send(): Promise<void> {
    const tally = this.#tally;
    const waits = this.#waits;
    const open = { sentAt: performance.now() };
    this.#open.add(open);
    tally.sent += 1;
    try {
      const result = await this.#ask();
      waits.push(performance.now() - open.sentAt);
      tally.answer(result);
    } catch (error) {
      waits.push(performance.now() - open.sentAt);
      tally.refuse(String(error));
    }
    this.#open.delete(open);
  }
}

function askOverHttp({ url, tokenHeader }: Target, { address, token, query }: LightClient): Ask {
  const headers = {
    'x-forwarded-for': address,
    'content-type': 'application/json',
    accept: 'application/json',
    ...(token === null ? {} : { [tokenHeader]: token }),
  };
  const sent = JSON.stringify({ query });
  return async () => {
    const { body } = await request(url, { method: 'POST', dispatcher: agent, headers, body: sent });
    return Buffer.from(await body.arrayBuffer());
  };
}

async function askOverSocket(target: Target, client: LightClient): Promise<Ask> {
  const socket = await openSocket(target, client);
  const waiting = new Map<string, { resolve: (result: Buffer) => void; reject: (reason: Error) => void }>();
  onOperationMessage(socket, ({ type, id, data }) => {
    if (type !== 'next' && type !== 'error') return;
    waiting.get(id)?.resolve(data);
    waiting.delete(id);
  });
  socket.once('close', (code) => {
    for (const { reject } of waiting.values()) reject(new Error(`closed ${code}`));
  });
  let sent = 0;
  return () =>
    new Promise((resolve, reject) => {
      const id = String(sent++);
      waiting.set(id, { resolve, reject });
      socket.send(subscribeMessage(id, client.query), (error) => error && reject(error));
    });
}

let clients: readonly WorkingClient[] = [];

/** Adds the reports of clients of one group over one transport. */
function addReports(reports: readonly LightReport[]): readonly LightReport[] {
  const groups = new Map<string, LightReport>();
  for (const report of reports) {
    const name = `${report.group} ${report.over}`;
    const { waits, outcomes } = groups.get(name) ?? { waits: [], outcomes: addOutcomes([]) };
    groups.set(name, {
      ...report,
      waits: [...waits, ...report.waits],
      outcomes: addOutcomes([outcomes, report.outcomes]),
    });
  }
  return [...groups.values()];
}

async function obey(order: LightOrder): Promise<LightFigures> {
  const figures = { ownBlock: delay.max / NANOSECONDS };
  if (order.order === 'start') {
    clients = await Promise.all(order.clients.map((client) => WorkingClient.start(order, client)));
    return { ...figures, groups: [] };
  }
  if (order.order === 'measure') {
    delay.enable();
    for (const client of clients) client.measure();
    return { ...figures, groups: [] };
  }
  const reports = await Promise.all(clients.map((client) => client.stop()));
  return { ownBlock: delay.max / NANOSECONDS, groups: addReports(reports) };
}

process.on('message', (order: LightOrder) => {
  void obey(order).then((figures) => process.send?.(figures));
});
console.log('ready');
