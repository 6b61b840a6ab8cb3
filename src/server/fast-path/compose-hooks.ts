// Composes the hooks of plugins, because each hook costs yoga and envelop a chain of closures for each request.
import type { ServerPlugin } from '../context.ts';
import { runHooks } from './run-hooks.ts';

type Hook<Name extends 'onParams' | 'onExecutionResult' | 'onExecute'> = NonNullable<ServerPlugin[Name]>;
type Execution = Extract<Awaited<ReturnType<Hook<'onExecute'>>>, object>;
type Done = NonNullable<Execution['onExecuteDone']>;
type Stream = Extract<Awaited<ReturnType<Done>>, object>;

/**
 * Makes one hook for the parameters, one for the execution and one for the result of the hooks of all plugins. They run in the same
 * order and see the same as before. Hooks of the execution must not be asynchronous.
 */
export function composeHooks(plugins: readonly ServerPlugin[]): ServerPlugin[] {
  const params = plugins.flatMap(({ onParams }) => onParams ?? []);
  const executions = plugins.flatMap(({ onExecute }) => onExecute ?? []);
  const results = plugins.flatMap(({ onExecutionResult }) => onExecutionResult ?? []);
  const others = plugins.map(
    ({ onParams: _params, onExecute: _execute, onExecutionResult: _result, ...plugin }) => plugin,
  );
  return [
    ...others,
    {
      onParams: composeParams(params),
      onExecutionResult: composeResults(results),
      onExecute: composeExecutions(executions),
    },
  ];
}

function composeParams(hooks: readonly Hook<'onParams'>[]): Hook<'onParams'> {
  return (payload) => {
    const own = {
      ...payload,
      setParams: (changed: typeof payload.params) => {
        own.params = changed;
        payload.setParams(changed);
      },
    };
    return runHooks(hooks, own);
  };
}

function composeResults(hooks: readonly Hook<'onExecutionResult'>[]): Hook<'onExecutionResult'> {
  return (payload) => {
    return runHooks(hooks, replaceable(payload));
  };
}

function composeExecutions(hooks: readonly Hook<'onExecute'>[]): Hook<'onExecute'> {
  return (payload) => {
    const dones: Done[] = [];
    let isStopped = false;
    const own: typeof payload = {
      ...payload,
      setExecuteFn: (changed) => {
        own.executeFn = changed;
        payload.setExecuteFn(changed);
      },
      setResultAndStopExecution: (result) => {
        isStopped = true;
        payload.setResultAndStopExecution(result);
      },
    };
    for (const hook of hooks) {
      const after = ensureSync(hook(own));
      if (after?.onExecuteDone) dones.push(after.onExecuteDone);
      if (isStopped) break;
    }
    return dones.length === 0 ? undefined : { onExecuteDone: composeDones(dones) };
  };
}

function composeDones(hooks: readonly Done[]): Done {
  return (payload) => {
    const own = replaceable(payload);
    const streams: Stream[] = [];
    for (const hook of hooks) {
      const stream = ensureSync(hook(own));
      if (stream) streams.push(stream);
    }
    if (streams.length === 0) return undefined;
    const nexts = streams.flatMap(({ onNext }) => onNext ?? []);
    const ends = streams.flatMap(({ onEnd }) => onEnd ?? []);
    return {
      onNext: (event) => runHooks(nexts, replaceable(event)),
      onEnd: () => {
        for (const end of ends) end();
      },
    };
  };
}

/** Copies a payload, so that the next hook sees the result that the last one has set. */
function replaceable<Payload extends { readonly setResult: (changed: never) => void }>(
  payload: Payload,
): Payload {
  const own = { ...payload };
  return Object.assign(own, {
    setResult: (changed: never) => {
      Object.assign(own, { result: changed });
      payload.setResult(changed);
    },
  });
}

/** @throws TypeError when a hook of the execution is asynchronous. */
function ensureSync<After>(after: After): Exclude<After, Promise<unknown>> {
  if (after instanceof Promise) throw new TypeError('expected a hook of the execution to be synchronous');
  return after as Exclude<After, Promise<unknown>>;
}
