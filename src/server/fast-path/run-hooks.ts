// Runs the hooks of plugins.

/** Runs hooks in turn, and waits for those that return promises. Returns undefined when there is nothing to wait for. */
export function runHooks<Payload>(
  hooks: readonly ((payload: Payload) => unknown)[],
  payload: Payload,
  first = 0,
): Promise<void> | undefined {
  for (const [index, hook] of hooks.entries()) {
    if (index < first) continue;
    const pending = hook(payload);
    if (pending instanceof Promise) return pending.then(() => runHooks(hooks, payload, index + 1));
  }
  return undefined;
}
