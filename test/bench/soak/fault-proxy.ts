// A TCP proxy before the sandbox that fails in the ways of real networks and gateways.
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { chance, pick, randomInt } from './load.ts';

/**
 * What the proxy does during a fault: refuses connections, resets them within answers, forwards nothing, forwards each part late, or
 * answers HTML with status 502 or 503.
 */
export const FAULT_KINDS = ['reset', 'stall', 'gateway', 'refuse', 'delay'] as const;
type FaultKind = (typeof FAULT_KINDS)[number];

/** A fault that was on. Times are in milliseconds since 1970. */
export interface Fault {
  readonly kind: FaultKind;
  readonly from: number;
  to: number;
}

/** Time after a fault for which its effects last: the facade tries an API that was down again after at most 5 s. */
const AFTERMATH = 8_000;

/** Longest and shortest fault, in milliseconds. */
const SHORTEST = 2_000;
const LONGEST = 5_000;

/** Forwards connections to the sandbox, except during faults. */
export class FaultProxy {
  /** All faults so far. */
  readonly faults: Fault[] = [];
  readonly #target: URL;
  readonly #server = createServer((client) => void this.#serve(client));
  readonly #sockets = new Set<Socket>();
  #kind: FaultKind | null = null;
  #ended: Promise<void> = Promise.resolve();
  #port = 0;

  constructor(target: string) {
    this.#target = new URL(target);
    // `refuse` listens again on the same port, which another program may hold for a moment.
    this.#server.on('error', () => setTimeout(() => this.#server.listen(this.#port, '127.0.0.1'), 50));
  }

  async listen(): Promise<string> {
    this.#server.listen(this.#port, '127.0.0.1');
    await once(this.#server, 'listening');
    this.#port = (this.#server.address() as AddressInfo).port;
    return `http://127.0.0.1:${this.#port}/`;
  }

  /** Has one fault in each interval, all kinds in turn, until the signal. */
  async run(interval: number, signal: AbortSignal): Promise<void> {
    for (let round = 0; !signal.aborted; round += 1) {
      const before = randomInt(1_000, interval - LONGEST - 1_000);
      const length = randomInt(SHORTEST, LONGEST);
      await pause(before, undefined, { signal }).catch(() => undefined);
      if (signal.aborted) return;
      await this.#fail(FAULT_KINDS[round % FAULT_KINDS.length] ?? 'reset', length);
      await pause(interval - before - length, undefined, { signal }).catch(() => undefined);
    }
  }

  /** Whether a fault, or the time just after it, fell into a period. */
  hadFault(from: number, to: number): boolean {
    return this.faults.some((fault) => fault.from <= to && fault.to + AFTERMATH >= from);
  }

  close(): void {
    this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
  }

  async #fail(kind: FaultKind, length: number): Promise<void> {
    const fault: Fault = { kind, from: Date.now(), to: Date.now() + length };
    this.faults.push(fault);
    this.#kind = kind;
    this.#ended = pause(length);
    if (kind === 'refuse') {
      this.#server.close();
      for (const socket of this.#sockets) socket.resetAndDestroy();
    }
    await this.#ended;
    this.#kind = null;
    fault.to = Date.now();
    if (kind === 'refuse') this.#server.listen(this.#port, '127.0.0.1');
  }

  async #serve(client: Socket): Promise<void> {
    const upstream = connect(Number(this.#target.port), this.#target.hostname);
    for (const socket of [client, upstream]) {
      this.#sockets.add(socket);
      socket.setNoDelay(true);
      socket.on('error', () => undefined);
      socket.once('close', () => this.#sockets.delete(socket));
    }
    await Promise.all([this.#forward(client, upstream, false), this.#forward(upstream, client, true)]);
  }

  async #forward(from: Socket, to: Socket, isAnswer: boolean): Promise<void> {
    try {
      for await (const part of from as AsyncIterable<Buffer>) {
        if (!(await this.#admit(part, from, to, isAnswer))) break;
        if (to.destroyed) break;
        if (!to.write(part)) await Promise.race([once(to, 'drain'), once(to, 'close')]);
      }
      to.end();
    } catch {
      to.destroy();
    } finally {
      from.destroy();
    }
  }

  /** Applies the present fault to a part of a request or answer. Returns whether it is to be forwarded. */
  async #admit(part: Buffer, from: Socket, to: Socket, isAnswer: boolean): Promise<boolean> {
    switch (this.#kind) {
      case 'stall':
        await this.#ended;
        return true;
      case 'delay':
        await pause(randomInt(100, 1_000));
        return true;
      case 'reset':
        if (!isAnswer || !chance(0.5)) return true;
        // The request has arrived, and the client gets half of its answer or nothing.
        if (chance(0.5)) to.write(part.subarray(0, part.length >> 1));
        to.resetAndDestroy();
        return false;
      case 'gateway':
        if (isAnswer) return true;
        from.end(gatewayAnswer());
        to.destroy();
        return false;
      default:
        return true;
    }
  }
}

function gatewayAnswer(): string {
  const status = pick(['502 Bad Gateway', '503 Service Unavailable']);
  const page = `<html><body><h1>${status}</h1></body></html>`;
  return `HTTP/1.1 ${status}\r\ncontent-type: text/html\r\ncontent-length: ${page.length}\r\nconnection: close\r\n\r\n${page}`;
}
