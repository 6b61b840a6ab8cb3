// Lets yoga make the response for an operation that the fast path has executed.
import type { ServerPlugin } from '../../../operation/context.ts';

/** Gives yoga the result of an executed operation instead of executing it. It comes after all other plugins with request parsers. */
export function useExecutedResults(): ServerPlugin {
  return {
    onRequestParse({ serverContext: { executed }, setRequestParser }) {
      if (executed !== undefined) setRequestParser(() => executed.params);
    },
    onParams({ context: { executed }, setResult }) {
      if (executed !== undefined) setResult(executed.result);
    },
  };
}

/** Makes a plugin whose hooks before the execution do not run again for an executed operation. */
export function runOnce(plugin: ServerPlugin): ServerPlugin {
  const { onRequestParse, onParams } = plugin;
  const once: ServerPlugin = { ...plugin };
  if (onRequestParse !== undefined)
    once.onRequestParse = (payload) =>
      payload.serverContext.executed === undefined ? onRequestParse(payload) : undefined;
  if (onParams !== undefined)
    once.onParams = (payload) => (payload.context.executed === undefined ? onParams(payload) : undefined);
  return once;
}
