// Compares validation with recorded answers of the reference server and with a production description.
import { existsSync, readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import type { Parameter, Resource } from '../../../src/upstream/description/description.ts';
import { parseDescription } from '../../../src/upstream/description/parse-description.ts';
import { compileValidation, type ValidationFailure } from '../../../src/upstream/validation/validators.ts';

const ANSWERS = new URL('../../../../shared/data/validator-answers.json', import.meta.url);

type Described = Readonly<Record<string, unknown>>;
interface Answers {
  readonly single: readonly {
    readonly parameter: Described;
    readonly cases: readonly {
      readonly value?: unknown;
      readonly omitted?: boolean;
      readonly accepted: boolean;
      readonly errors?: readonly string[];
    }[];
  }[];
  readonly confirm: {
    readonly parameters: Readonly<Record<string, Described>>;
    readonly cases: readonly {
      readonly input: Described;
      readonly accepted: boolean;
      readonly errors: Readonly<Record<string, readonly string[]>> | null;
    }[];
  };
}

/** The answers; integers that JavaScript's numbers cannot hold are bigints. */
function readAnswers(): Answers | null {
  if (!existsSync(ANSWERS)) {
    console.warn('skipped: ../shared/data/validator-answers.json does not exist');
    return null;
  }
  const text = readFileSync(ANSWERS, 'utf8').replace(/("value":\s*)(\d{16,})(?=\s*[,}])/g, '$1"bigint:$2"');
  return JSON.parse(text, (_key, value: unknown) =>
    typeof value === 'string' && value.startsWith('bigint:') ? BigInt(value.slice(7)) : value,
  ) as Answers;
}

/** Parses described parameters as the facade does. */
function parametersOf(described: Readonly<Record<string, Described>>): readonly Parameter[] {
  const input = { layout: 'hash', namespace: 'thing', parameters: described };
  const { resources, findings } = parseDescription({
    meta: { namespace: '_meta' },
    authentication: {},
    resources: {
      thing: { actions: { make: { method: 'POST', path: '/things', input, output: null } }, resources: {} },
    },
  });
  expect(findings).toEqual([]);
  return resources[0]?.actions[0]?.input.parameters ?? [];
}

/** @param left Called for each rule that is left to the server. */
const validationOf = (described: Readonly<Record<string, Described>>, left: (reason: string) => void) =>
  compileValidation(parametersOf(described), (_parameter, reason) => left(reason));

const messagesOf = (failures: readonly ValidationFailure[]): string[] =>
  failures.map(({ message }) => message);

describe('validation compared with responses of the reference server', () => {
  const answers = readAnswers();

  it.skipIf(answers === null)('accepts and refuses the same values with the same messages', () => {
    const counts = { agreed: 0, acceptQuirk: 0, left: 0 };
    const disagreed: unknown[] = [];
    for (const { parameter, cases } of answers?.single ?? []) {
      const left: string[] = [];
      const validate = validationOf({ x: parameter }, (reason) => left.push(reason));
      const { accept } = parameter['validators'] as { accept?: { message: string } };
      for (const { value, omitted, accepted, errors = [] } of cases) {
        const messages = messagesOf(validate(omitted === true ? {} : { x: value }));
        if (JSON.stringify(messages) === JSON.stringify(accepted ? [] : errors)) counts.agreed++;
        // The server fills the refused value into its message instead of the accepted one.
        else if (!accepted && accept !== undefined && messages.join() === accept.message)
          counts.acceptQuirk++;
        // Formats that are left to the server: what it accepts is never refused.
        else if (!accepted && left.every((reason) => reason.startsWith('format: ')) && messages.length === 0)
          counts.left += left.length;
        else disagreed.push({ parameter, value: String(value), accepted, errors, messages });
      }
    }
    expect(disagreed).toEqual([]);
    expect(counts).toEqual({ agreed: 1060, acceptQuirk: 35, left: 81 });
  });

  it.skipIf(answers === null)('compares parameters with each other as the server does', () => {
    const { parameters = {}, cases = [] } = answers?.confirm ?? {};
    const validate = validationOf(parameters, (reason) => expect.fail(reason));
    for (const { input, errors } of cases) {
      const messages: Record<string, string[]> = {};
      for (const { parameter, message } of validate(input)) {
        messages[parameter] = [...(messages[parameter] ?? []), message];
      }
      expect(messages).toEqual(errors ?? {});
    }
    expect(cases).toHaveLength(7);
  });
});

describe('validation of a production description', () => {
  const url = new URL('production-description.json.gz', ANSWERS);
  const exists = existsSync(url);
  if (!exists) console.warn('skipped: ../shared/data/production-description.json.gz does not exist');

  it.skipIf(!exists)('leaves one described check to the server', () => {
    const { response } = JSON.parse(gunzipSync(readFileSync(url)).toString('utf8')) as {
      response: { versions?: { default: unknown } };
    };
    const inputsOf = (resources: readonly Resource[]): (readonly Parameter[])[] =>
      resources.flatMap(({ actions, resources: nested }) => [
        ...actions.map(({ input }) => input.parameters),
        ...inputsOf(nested),
      ]);
    const reports: string[] = [];
    const inputs = inputsOf(parseDescription(response.versions?.default ?? response).resources);
    for (const input of inputs) compileValidation(input, (name, reason) => reports.push(`${name} ${reason}`));
    expect(inputs.length).toBeGreaterThan(200);
    // One has a look-ahead.
    expect(reports).toEqual([expect.stringContaining('name format')]);
  });
});
