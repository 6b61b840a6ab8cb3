// The command `watch`: follows a running action to its end.
import { on } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { getNamedType, isLeafType, isObjectType, parse } from 'graphql';
import type { Client } from './client/client.ts';
import { openClient } from './client/open-client.ts';
import { CommandError, EXIT_CODES } from './command-line/exit-codes.ts';
import { note } from './command-line/output.ts';
import type { CallerConfig } from './login/use-profile.ts';
import { type Format, printRows, printValue } from './output/formats.ts';
import { ActionProgress } from './output/progress.ts';
import { ResultReport } from './output/results.ts';
import { shellWord } from './output/shell-word.ts';
import { confirm } from './output/terminal.ts';
import { isObject } from './output/values.ts';

interface WatchOptions {
  readonly format: Format;
  /** Seconds. */
  readonly for?: number;
}

type State = Readonly<Record<string, unknown>>;

/** The schema must offer it; the fields of a state follow from it. */
const WATCHING = parse('subscription ($id: ID!) { actionProgress(id: $id) { outcome } }');

/** Watches an action. @returns The exit code. */
export async function watch(config: CallerConfig, options: WatchOptions, id: string): Promise<number> {
  await using client = await openClient(config);
  const report = new ResultReport(client, WATCHING);
  const state = await follow(client, id, options, report);
  if (options.format !== 'ndjson' && state !== null) await printValue(state, options.format);
  if (report.code !== EXIT_CODES.ok) return report.code;
  if (state?.['finished'] === true) return state['outcome'] === 'FAILED' ? EXIT_CODES.failed : EXIT_CODES.ok;
  note(`Action ${id} is still running. To watch it again: optiongraph watch ${id}${flagsOf(config)}`);
  return EXIT_CODES.running;
}

/** The flags that choose the same API and caller. A credential stays in its variable. */
function flagsOf({ sandbox, as, signedIn, url, version }: CallerConfig): string {
  const flags = sandbox
    ? ['--sandbox', '--as', as]
    : signedIn === null
      ? ['--upstream', `${url?.href}`]
      : ['--profile', signedIn.name];
  const all = version === null ? flags : [...flags, '--api-version', version];
  return all.map((word) => ` ${shellWord(word)}`).join('');
}

/** Shows each state of an action. @returns The last one; null when there is none. */
async function follow(
  client: Client,
  id: string,
  options: WatchOptions,
  report: ResultReport,
): Promise<State | null> {
  const query = await subscriptionFor(client);
  const events = client.subscribe({ query, variables: { id } });
  const progress = new ActionProgress();
  const end = new AbortController();
  const signals = on(process, 'SIGINT');
  const nextSignal = () => signals.next().then(() => 'signal' as const);
  const time = waitFor(options.for, end.signal);
  let last: State | null = null;
  let next = events.next();
  let signal = nextSignal();
  try {
    for (;;) {
      const event = await Promise.race([next, signal, time]);
      if (event === 'signal') {
        progress.end();
        if (!(await confirm(`Cancel action ${id}? Without it, only the watch ends.`))) return last;
        await cancel(client, id, report);
        signal = nextSignal();
        continue;
      }
      if (event === 'time' || event.done === true) return last;
      await report.add(event.value);
      const state: unknown = event.value.data?.['actionProgress'];
      if (isObject(state)) {
        last = state;
        if (options.format === 'ndjson') {
          progress.clear();
          await printRows([state], options.format);
        }
        progress.show(state);
      }
      next = events.next();
    }
  } finally {
    progress.end();
    end.abort();
    await signals.return?.();
    await events.return?.();
  }
}

/** Waits for some seconds; undefined: for ever. */
const waitFor = (seconds: number | undefined, signal: AbortSignal): Promise<'time'> =>
  seconds === undefined
    ? new Promise(() => undefined)
    : pause(seconds * 1_000, 'time' as const, { signal }).catch(() => 'time');

/** The subscription to all values of a state, which the API describes. */
async function subscriptionFor(client: Client): Promise<string> {
  const schema = await client.readSchema();
  const field = schema?.getSubscriptionType()?.getFields()['actionProgress'];
  const type = field === undefined ? undefined : getNamedType(field.type);
  if (!isObjectType(type))
    throw new CommandError(
      EXIT_CODES.credentials,
      `The API offers this caller no running actions to watch. ${client.signInAdvice ?? ''}`.trim(),
    );
  const values = Object.values(type.getFields()).filter((value) => isLeafType(getNamedType(value.type)));
  const names = values.map(({ name }) => name).join(' ');
  return `subscription ($id: ID!) { actionProgress(id: $id, minInterval: 0.5) { ${names} } }`;
}

async function cancel(client: Client, id: string, report: ResultReport): Promise<void> {
  const query = 'mutation ($id: ID!) { actionStateCancel(id: $id) { userErrors { message } } }';
  await report.add(await client.ask({ query, variables: { id } }));
  if (report.code === EXIT_CODES.ok) note(`Action ${id} is asked to cancel.`);
}
