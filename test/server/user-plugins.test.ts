// Tests that the plugins of a library's user run alike on all transports, and within the facade's own steps.
import { execute, GraphQLError, type ValidationRule } from 'graphql';
import { describe, expect, it } from 'vitest';
import { CallerApi } from '../../src/server/caller-api.ts';
import type { OperationPlugin } from '../../src/server/plugin.ts';
import { STREAMS, TRANSPORTS } from '../helpers/transports.ts';
import { openWorkshop } from '../helpers/workshop.ts';

const headers = { 'x-library-token': 'one' };
const TOOL = '{ tool(id: 5) { name } }';

/** Refuses documents that select a field. */
const refuseField =
  (field: string): ValidationRule =>
  (context) => ({
    Field: (node) => {
      if (node.name.value === field) context.reportError(new GraphQLError(`No ${field}.`, { nodes: node }));
    },
  });

describe.each(TRANSPORTS)('plugins over %s', (_name, send) => {
  it('have their hooks called in the order of the phases, with the context of resolvers', async () => {
    const called: string[] = [];
    const plugin: OperationPlugin = {
      onParse: ({ context }) => {
        called.push(
          `parse for ${String((context['header'] as (name: string) => string)('x-library-token'))}`,
        );
        return ({ result }) => void called.push(result instanceof Error ? 'failed' : 'parsed');
      },
      onValidate:
        () =>
        ({ valid }) =>
          void called.push(`valid: ${valid}`),
      onContextBuilding: ({ extendContext }) => extendContext({ colour: 'red' }),
      onExecute: ({ args: { contextValue } }) => {
        called.push(`execute with ${contextValue['colour']} and ${contextValue['api'] instanceof CallerApi}`);
        return { onExecuteDone: () => void called.push('executed') };
      },
    };
    await using shop = await openWorkshop({}, { plugins: [plugin] });
    const { url } = await shop.listen();
    for (let round = 0; round < 2; round += 1) {
      called.length = 0;
      expect((await send(url, { query: TOOL }, headers)).data).toEqual({ tool: { name: 'tool 5' } });
      expect(called.join()).toBe('parse for one,parsed,valid: true,execute with red and true,executed');
    }
  });

  it('can add rules to the validation, replace the execution and stop it', async () => {
    const plugins: readonly OperationPlugin[] = [
      { onValidate: ({ addValidationRule }) => addValidationRule(refuseField('weight')) },
      { onExecute: ({ setExecuteFn }) => setExecuteFn(execute) },
      {
        onExecute: ({ args, setResultAndStopExecution }) => {
          if (JSON.stringify(args.contextValue['params']).includes('Stopped'))
            setResultAndStopExecution({ data: { stopped: true } });
        },
      },
    ];
    await using shop = await openWorkshop({}, { plugins });
    const { url } = await shop.listen();
    expect((await send(url, { query: '{ tool(id: 5) { weight } }' }, headers)).errors).toMatchObject([
      { message: 'No weight.', extensions: { code: 'BAD_USER_INPUT', requestId: expect.any(String) } },
    ]);
    expect((await send(url, { query: '{ tool(id: 5) { nope } }' }, headers)).errors).toHaveLength(1);
    expect((await send(url, { query: TOOL }, headers)).data).toEqual({ tool: { name: 'tool 5' } });
    const stopped = await send(url, { query: `query Stopped ${TOOL}` }, headers);
    expect(stopped).toMatchObject({ data: { stopped: true }, extensions: { upstream: { calls: 0 } } });
  });

  it('run for each introspection, and change the result of one operation only', async () => {
    let runs = 0;
    const plugin: OperationPlugin = {
      onExecute: () => {
        runs += 1;
        const isFirst = runs === 1;
        return {
          onExecuteDone: ({ setResult }) => {
            if (isFirst) setResult({ data: { __typename: 'Changed' } });
          },
        };
      },
    };
    await using shop = await openWorkshop({}, { plugins: [plugin] });
    const { url } = await shop.listen();
    const query = '{ __typename }';
    expect((await send(url, { query }, headers)).data).toEqual({ __typename: 'Changed' });
    expect((await send(url, { query }, headers)).data).toEqual({ __typename: 'Query' });
    expect((await send(url, { query }, headers)).data).toEqual({ __typename: 'Query' });
    expect(runs).toBe(3);
  });

  it('have their errors masked, and run only for operations that are charged', async () => {
    let executed = 0;
    const plugin: OperationPlugin = {
      onExecute: () => {
        executed += 1;
        throw new Error('a secret');
      },
    };
    await using shop = await openWorkshop({}, { plugins: [plugin], limits: { operationCost: 50 } });
    const { url } = await shop.listen();
    const { errors = [] } = await send(url, { query: TOOL }, headers);
    expect(errors).toMatchObject([{ extensions: { code: 'INTERNAL', requestId: expect.any(String) } }]);
    expect(JSON.stringify(errors)).not.toContain('secret');
    const many = Array.from({ length: 60 }, (_, index) => `a${index}: __typename`).join(' ');
    expect((await send(url, { query: `{ ${many} }` }, headers)).errors).toMatchObject([
      { extensions: { code: 'COST_LIMIT_EXCEEDED' } },
    ]);
    expect(executed).toBe(1);
  });
});

it.each(STREAMS)('plugins over %s see subscriptions and their events', async (_name, sendAll) => {
  const called: string[] = [];
  const plugin: OperationPlugin = {
    onSubscribe: () => {
      called.push('subscribe');
      return {
        onSubscribeResult: () => ({
          onNext: ({ result, setResult }) => {
            called.push('event');
            setResult({ ...result, extensions: { seen: true } });
          },
          onEnd: () => void called.push('end'),
        }),
      };
    },
  };
  await using shop = await openWorkshop({}, { plugins: [plugin] });
  shop.actions.set({ id: 501, current: 10, finished: true });
  const { url } = await shop.listen();
  const query = 'subscription { actionProgress(id: 501) { current } }';
  const results = await sendAll(url, { query }, headers);
  expect(results).toMatchObject([{ data: { actionProgress: { current: 10 } }, extensions: { seen: true } }]);
  expect(called).toEqual(['subscribe', 'event', 'end']);
});

it.each(['onRequest', 'onResultProcess', 'onResponse', 'instrumentation'])(
  'a plugin with %s, which only one transport has, is refused with the way to go',
  async (hook) => {
    const plugin = { [hook]: () => undefined } as OperationPlugin;
    const open = (given: OperationPlugin) => openWorkshop({}, { plugins: [given] });
    await expect(open(plugin)).rejects.toThrow(
      new RegExp(`"${hook}".*onExecute.*wrap the handler of your server`),
    );
    const adding: OperationPlugin = { onPluginInit: ({ addPlugin }) => addPlugin(plugin) };
    await expect(open(adding)).rejects.toThrow(TypeError);
  },
);
