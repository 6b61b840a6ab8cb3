// Runs other executors, which tests compare with.

/** Runs graphql-js or the executor of graphql-tools. Where an item of a list throws, they leave the promises of the other items unhandled. */
export async function runReference<T>(run: () => Promise<T>): Promise<T> {
  const event = 'unhandledRejection';
  const listeners = process.listeners(event);
  process.removeAllListeners(event).on(event, () => undefined);
  try {
    return await run();
  } finally {
    // The event comes after the microtasks.
    await new Promise((resolve) => setImmediate(resolve));
    process.removeAllListeners(event);
    for (const listener of listeners) process.on(event, listener);
  }
}
