// The command `explain`: an estimate of what a query costs, and the calls to the API that it makes.
import type { ExecutionResult } from 'graphql';
import { openClient } from './client/open-client.ts';
import { EXIT_CODES, usageError } from './command-line/exit-codes.ts';
import { note } from './command-line/output.ts';
import type { CallerConfig } from './login/use-profile.ts';
import { type Format, printRows } from './output/formats.ts';
import { ResultReport } from './output/results.ts';
import { isObject } from './output/values.ts';
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
  const { document, operation } = request;
  if (operation.operation === 'subscription') throw usageError('explain is for queries and mutations.');
  await using client = await openClient(config);
  const report = new ResultReport(client, document);
  const sent = toRequest(request);
  const estimated = await client.ask({ ...sent, extensions: { estimateOnly: true } });
  await report.add(estimated);
  if (report.code !== EXIT_CODES.ok) return report.code;
  const { estimate } = objectIn(estimated, 'cost');
  note(`Estimated: ${estimate} points; a server accepts 50000 by default.`);
  if (operation.operation === 'mutation') note('The mutation is not executed, so its calls are not listed.');
  if (options.estimate || operation.operation === 'mutation') return EXIT_CODES.ok;
  const result = await client.ask(sent, { 'x-trace': '1' });
  const { calls = 0, ms = 0, trace } = objectIn(result, 'upstream');
  await printRows(Array.isArray(trace) ? trace : [], options.format);
  note(`Made: ${calls} calls, which took ${Math.round(Number(ms))} ms together.`);
  await report.add(result);
  return report.code;
}

function objectIn({ extensions }: ExecutionResult, name: string): Readonly<Record<string, unknown>> {
  const value = extensions?.[name];
  return isObject(value) ? value : {};
}
