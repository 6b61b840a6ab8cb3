// Subscribes, and executes the selection for each event.
import { isAsyncIterable, mapAsyncIterator } from '@envelop/core';
import { createSourceEventStream, type ExecutionArgs, type ExecutionResult } from 'graphql';
import type { Executed } from './plugin.ts';

/** Opens the stream of a subscription. Returns a result where there is none. */
export async function subscribe(
  args: ExecutionArgs,
  execute: (args: ExecutionArgs) => ExecutionResult | Promise<ExecutionResult>,
): Promise<Executed> {
  const source = await createSourceEventStream(args);
  if (!isAsyncIterable(source)) return source;
  return mapAsyncIterator(source, async (rootValue) => execute({ ...args, rootValue }));
}
