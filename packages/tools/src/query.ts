// The command `query`: executes an operation, and prints its result.
import { compile, type JSONValue, search } from '@jmespath-community/jmespath';
import type { ExecutionResult } from 'graphql';
import type { Client } from './client/client.ts';
import { openClient } from './client/open-client.ts';
import { type CommandError, usageError } from './command-line/exit-codes.ts';
import { clearScreen, note } from './command-line/output.ts';
import type { CallerConfig } from './login/use-profile.ts';
import { type Format, printValue, RowPrinter } from './output/formats.ts';
import { ResultReport } from './output/results.ts';
import { ADVICE, CURSOR, checkPaged, readPage } from './paginate.ts';
import { type GivenRequest, type RequestOptions, readRequest, toRequest } from './request.ts';

interface QueryOptions extends RequestOptions {
  readonly format?: Format;
  readonly paginate: boolean;
  readonly raw: boolean;
  readonly select?: string;
}

/** Returns a part of the data; null where nothing is there. @throws CommandError when that cannot be found out. */
type Select = (data: unknown) => unknown;

/** How results are printed. */
interface Printing {
  readonly format: Format | undefined;
  /** Whether texts have no quotes, and rows no head. */
  readonly isRaw: boolean;
  /** Null: the data as a whole. */
  readonly select: Select | null;
}

/** Whether a query is executed again and again. */
const isLive = ({ operation }: GivenRequest): boolean =>
  operation.directives?.some(({ name }) => name.value === 'live') === true;

/** Executes an operation. @returns The exit code. */
export async function query(config: CallerConfig, options: QueryOptions, given: string): Promise<number> {
  const request = await readRequest(given, options);
  const isStream = request.operation.operation === 'subscription' || isLive(request);
  if (options.paginate && (isStream || request.operation.operation === 'mutation'))
    throw usageError(
      '--paginate is for queries with one result, not for mutations, subscriptions and live queries.',
    );
  const select = options.select === undefined ? null : parseSelect(options.select);
  await using client = await openClient(config);
  if (request.idempotencyKey !== undefined && !client.isServer)
    throw usageError(
      '--idempotency-key needs a server that remembers keys: give the address of a running Optiongraph as --upstream.',
    );
  const report = new ResultReport(client, request.document);
  const redraws = isLive(request) && process.stdout.isTTY && options.format !== 'ndjson';
  const print = redraws
    ? redrawResults
    : isStream
      ? printEvents
      : options.paginate
        ? printPages
        : printResult;
  await print(client, request, { format: options.format, select, isRaw: options.raw }, report);
  return report.code;
}

async function printResult(
  client: Client,
  request: GivenRequest,
  { format = 'json', select, isRaw }: Printing,
  report: ResultReport,
): Promise<void> {
  const result = await client.ask(toRequest(request));
  if (hasData(result)) await printValue(select === null ? result.data : select(result.data), format, isRaw);
  await report.add(result);
}

/** Prints the rows of all pages. Each page is printed when it comes, but for formats that need all rows. */
async function printPages(
  client: Client,
  request: GivenRequest,
  { format = 'ndjson', select, isRaw }: Printing,
  report: ResultReport,
): Promise<void> {
  checkPaged(request);
  const rows: unknown[] = [];
  const printer = new RowPrinter(format, isRaw);
  let after: Readonly<Record<string, string>> | null = {};
  while (after !== null) {
    const variables: GivenRequest['variables'] = { ...request.variables, ...after };
    const result = await client.ask({ ...toRequest(request), variables });
    const page = readPage(result);
    // Another list takes the cursor, so that this page would come again and again.
    if (page.cursor !== null && page.cursor === variables[CURSOR]) throw usageError(ADVICE);
    const found = select === null || !hasData(result) ? page.rows : rowsAt(select, result);
    // The others need all rows: one list, and columns for all of them.
    if (format === 'ndjson') await printer.print(found);
    else rows.push(...found);
    await report.add(result);
    after = page.cursor === null ? null : { [CURSOR]: page.cursor };
  }
  if (format !== 'ndjson') await printer.print(rows);
}

async function printEvents(
  client: Client,
  request: GivenRequest,
  { format = 'ndjson', select, isRaw }: Printing,
  report: ResultReport,
): Promise<void> {
  const printer = new RowPrinter(format, isRaw);
  for await (const event of client.subscribe(toRequest(request))) {
    if (hasData(event)) await printer.print(select === null ? [event.data] : rowsAt(select, event));
    await report.add(event);
  }
}

/** Shows the last result of a live query on the terminal, in place of the one before. */
async function redrawResults(
  client: Client,
  request: GivenRequest,
  { format = 'json', select, isRaw }: Printing,
  report: ResultReport,
): Promise<void> {
  for await (const result of client.subscribe(toRequest(request))) {
    clearScreen();
    if (hasData(result)) await printValue(select === null ? result.data : select(result.data), format, isRaw);
    await report.add(result);
    note(`Last change at ${new Date().toLocaleTimeString()}. Ctrl-C ends the query.`);
  }
}

/** The items of a selected list; any other value is a row itself. */
function rowsAt(select: Select, { data }: ExecutionResult): readonly unknown[] {
  const found = select(data);
  return Array.isArray(found) ? found : [found];
}

const hasData = ({ data }: ExecutionResult): boolean => data !== null && data !== undefined;

/**
 * Reads an expression, before anything is executed. A dot at its start, as jq wants it, is ignored.
 * @throws CommandError when it is invalid.
 */
function parseSelect(given: string): Select {
  const expression = given.replace(/^\./, '');
  try {
    compile(expression);
  } catch (error) {
    throw invalid(error);
  }
  return (data) => {
    const found = evaluate(data, expression);
    if (found === null)
      note(`warning: --select finds nothing at ${given}. Write lists like books.nodes[].title.`);
    return found;
  };
}

function evaluate(data: unknown, expression: string): unknown {
  try {
    return search(data as JSONValue, expression);
  } catch (error) {
    throw invalid(error);
  }
}

const invalid = (error: unknown): CommandError =>
  usageError(
    `--select must be a JMESPath expression, such as books.nodes[].title: ${error instanceof Error ? error.message : error}`,
  );
