// Sends operations over some HTTP connections without a pause, and counts what becomes of each.
import { setTimeout as pause } from 'node:timers/promises';
import { Agent, request } from 'undici';
import { documentsOf } from './documents.ts';
import type { HttpFlood, Target } from './orders.ts';
import type { FloodEnd } from './socket-flood.ts';
import type { Tally } from './tally.ts';

/** Pause after a refusal, in milliseconds. Without it, the process that sends would be the busiest one. */
const REFUSAL_PAUSE = 50;

/** Sends a flood until its end, and resolves when nothing is due any more. @param first The number of its first document. */
export async function floodHttp(
  { url, tokenHeader }: Target,
  { address, token, what, connections, operations = Number.POSITIVE_INFINITY }: HttpFlood,
  first: number,
  { sendUntil, waitUntil }: FloodEnd,
  tally: Tally,
): Promise<void> {
  const nextDocument = documentsOf(what, first);
  const dispatcher = new Agent({ connections, headersTimeout: 0, bodyTimeout: 0 });
  const end = AbortSignal.timeout(Math.max(0, Math.round(waitUntil - performance.now())));
  const headers = {
    'x-forwarded-for': address,
    'content-type': 'application/json',
    accept: 'application/json',
    ...(token === null ? {} : { [tokenHeader]: token }),
  };
  let left = operations;
  const ask = async (): Promise<boolean> => {
    tally.sent += 1;
    const { statusCode, body } = await request(url, {
      method: 'POST',
      dispatcher,
      headers,
      body: JSON.stringify({ query: nextDocument() }),
      signal: end,
    });
    let head: Buffer | null = null;
    for await (const part of body as AsyncIterable<Buffer>) {
      head ??= part;
      tally.bytes += part.length;
    }
    tally.answer(head ?? Buffer.from(`"errors": "code":"STATUS_${statusCode}"`));
    return statusCode === 200;
  };
  const work = async (): Promise<void> => {
    while (left > 0 && (operations < Number.POSITIVE_INFINITY || performance.now() < sendUntil)) {
      left -= 1;
      const isAnswered = await ask().catch((error: unknown) => {
        // An operation whose connection breaks, or that has waited too long, has no answer.
        if (end.aborted || isOfConnection(error)) return false;
        throw error;
      });
      if (!isAnswered) await pause(REFUSAL_PAUSE);
    }
  };
  await Promise.all(Array.from({ length: connections }, work));
  await dispatcher.destroy();
}

const isOfConnection = (error: unknown): boolean =>
  /^(E[A-Z]+|UND_ERR_SOCKET)$/.test(String((error as { readonly code?: unknown }).code));
