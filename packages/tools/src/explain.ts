// The command `explain`: what a query costs, and which calls to the API it makes.
import { type ExecutionResult, validate } from 'graphql';
import { estimateCost } from '../../../src/server/cost/estimate-cost.ts';
import { DEFAULT_LIMITS } from '../../../src/server/limits.ts';
import { isObject } from '../../../src/upstream/json.ts';
import type { CallerConfig } from './caller-settings.ts';
import { EXIT_CODES, usageError } from './command-line/exit-codes.ts';
import { note } from './command-line/output.ts';
import { openApi } from './open-api.ts';
import { type Format, printRows } from './output/formats.ts';
import { ResultReport } from './output/results.ts';
import { type RequestOptions, readRequest, toRequest } from './request.ts';

interface ExplainOptions extends RequestOptions {
  readonly estimate: boolean;
  readonly format: Format;
}

/** Explains an operation. Only queries are executed. @returns The exit code. */
export async function explainQuery(
  config: CallerConfig,
  options: ExplainOptions,
  given: string,
): Promise<number> {
  const request = await readRequest(given, options);
  const { document, operation, variables } = request;
  if (operation.operation === 'subscription') throw usageError('explain is for queries and mutations.');
  await using api = await openApi(config, { document });
  const errors = validate(api.served.schema, document);
  const report = new ResultReport(api, document);
  await report.add({ errors });
  if (errors.length > 0) return report.code;
  const name = operation.name?.value;
  const limit = DEFAULT_LIMITS.operationCost;
  const { cost } = estimateCost(api.served.schema, document, name, variables, Number.POSITIVE_INFINITY);
  note(`Estimated: about ${Math.ceil(cost)} values in the result; a server accepts ${limit} by default.`);
  if (operation.operation === 'mutation') note('The mutation is not executed, so its calls are not listed.');
  if (options.estimate || operation.operation === 'mutation') return EXIT_CODES.ok;
  const result = await api.ask(toRequest(request), { 'x-trace': '1' });
  const { calls, trace, ms } = upstreamOf(result);
  await printRows(trace, options.format);
  note(`Made: ${calls} calls, which took ${ms} ms together.`);
  await report.add(result);
  return report.code;
}

/** The calls that a result was made from. */
function upstreamOf({ extensions }: ExecutionResult) {
  const upstream = isObject(extensions?.['upstream']) ? extensions['upstream'] : {};
  const { calls = 0, ms = 0, trace } = upstream;
  return { calls, ms: Math.round(Number(ms)), trace: Array.isArray(trace) ? trace : [] };
}
