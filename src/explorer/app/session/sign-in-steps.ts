// Signs in through the mutations that the schema describes, each of which names the next one.
import { OperationError } from './execute.ts';
import type { Query } from './session-user.ts';

/** One value that a step takes. */
export interface StepInput {
  readonly name: string;
  /** For people. */
  readonly label: string;
  readonly kind: 'text' | 'number' | 'boolean' | 'choice';
  /** Values of a choice, in described order. */
  readonly choices: readonly string[];
}

/** What the API answers to a step. */
export interface StepAnswer {
  readonly token: string;
  /** The mutation that must follow; null for none. */
  readonly nextMutation: string | null;
}

/** One mutation of signing in. */
export interface SignInStep {
  readonly name: string;
  readonly inputs: readonly StepInput[];
  /** Runs the step with the texts of a form. @throws Error for people when the API refuses. */
  readonly run: (texts: Readonly<Record<string, string>>) => Promise<StepAnswer>;
}

interface TypeName {
  readonly name: string;
}
interface Mutations {
  readonly __type: {
    readonly fields: readonly {
      readonly name: string;
      readonly args: readonly {
        readonly name: string;
        readonly type: { readonly ofType: TypeName | null };
      }[];
      readonly type: { readonly name: string; readonly fields: readonly TypeName[] | null };
    }[];
  } | null;
}
interface InputField {
  readonly name: string;
  readonly description: string | null;
  readonly type: {
    readonly kind: string;
    readonly ofType: { readonly name: string; readonly enumValues: readonly TypeName[] | null } | null;
  };
}
interface StepTypes {
  readonly input: { readonly inputFields: readonly InputField[] };
  readonly payload: {
    readonly fields: readonly {
      readonly name: string;
      readonly type: { readonly fields: readonly TypeName[] | null };
    }[];
  };
}
interface Payload {
  readonly nextMutation: string | null;
  readonly userErrors: readonly { readonly message: string; readonly parameter: string | null }[];
  readonly [result: string]: unknown;
}

const MUTATIONS = `{ __type(name: "Mutation") { fields {
  name args { name type { ofType { name } } } type { name fields { name } }
} } }`;
const STEP = `query ($input: String!, $payload: String!) {
  input: __type(name: $input) { inputFields { name description type { kind ofType { name enumValues { name } } } } }
  payload: __type(name: $payload) { fields { name type { fields { name } } } }
}`;
const NUMBERS = ['Int', 'SafeInt', 'Float'];

/** The message for a sign-in that this page cannot complete. */
export const STEP_NOT_DESCRIBED =
  'The API requires a further step that it does not describe; sign in with another client.';
/** The token of the previous step. The page fills it in. */
export const TOKEN_INPUT = 'token';
/** The protocol's input for the seconds that a token lives, or lives on after each use. */
const INTERVAL = 'interval';
/** Seconds of a working day, with its breaks. */
const WORKING_DAY = 12 * 60 * 60;

/** Reads the mutations that sign in, by name: those whose payload names the next one. */
export async function readSignInSteps(query: Query): Promise<ReadonlyMap<string, SignInStep>> {
  const { __type: mutation } = await query<Mutations>(MUTATIONS);
  const steps = (mutation?.fields ?? []).filter(({ type }) =>
    type.fields?.some(({ name }) => name === 'nextMutation'),
  );
  return new Map(
    await Promise.all(
      steps.map(async ({ name, args, type }) => {
        const inputType = args.find((argument) => argument.name === 'input')?.type.ofType?.name ?? '';
        const types = await query<StepTypes>(STEP, { input: inputType, payload: type.name });
        return [name, createStep(query, name, inputType, types)] as const;
      }),
    ),
  );
}

function createStep(
  query: Query,
  name: string,
  inputType: string,
  { input, payload }: StepTypes,
): SignInStep {
  const inputs = input.inputFields.filter((field) => field.type.kind === 'NON_NULL').map(readInput);
  const takesInterval = input.inputFields.some((field) => field.name === INTERVAL);
  const result = payload.fields.find(({ type }) => type.fields?.some((own) => own.name === 'token'));
  const resultName = result?.name ?? 'token';
  const hasComplete = result?.type.fields?.some((own) => own.name === 'complete') === true;
  const selection = `nextMutation userErrors { message parameter } ${resultName} { token ${hasComplete ? 'complete' : ''} }`;
  const document = `mutation ($input: ${inputType}!) { step: ${name}(input: $input) { ${selection} } }`;
  const send = async (values: object): Promise<StepAnswer> => {
    const answer = await query<{ step: Payload }>(document, { input: values });
    return readAnswer(answer.step, resultName);
  };
  return {
    name,
    inputs,
    async run(texts) {
      const values = Object.fromEntries(
        inputs.map((field) => [field.name, readValue(field, texts[field.name])]),
      );
      if (!takesInterval) return send(values);
      return send({ ...values, [INTERVAL]: WORKING_DAY }).catch((error: unknown) => {
        // The API allows no working day; then its own default counts. Refused input has started nothing.
        if (error instanceof OperationError && error.parameters.includes(INTERVAL)) return send(values);
        throw error;
      });
    },
  };
}

function readInput({ name, description, type: { ofType } }: InputField): StepInput {
  const choices = ofType?.enumValues?.map((value) => value.name) ?? [];
  const type = ofType?.name ?? '';
  const plain = type === 'Boolean' ? 'boolean' : NUMBERS.includes(type) ? 'number' : 'text';
  return { name, label: labelOf(name, description), kind: choices.length > 0 ? 'choice' : plain, choices };
}

/** The API's own label if the description begins with one, otherwise the words of the name. */
function labelOf(name: string, description: string | null): string {
  const [first = ''] = (description ?? '').split('\n', 1);
  const isLabel = first !== '' && first.split(' ').length <= 3 && !/[.:`]/.test(first);
  return isLabel ? first : toWords(name);
}

/** `oneTimeCode` and `ONE_TIME_CODE` as `One time code`. */
export function toWords(name: string): string {
  const words = name
    .replace(/([a-z])([A-Z])/g, '$1 $2')
    .replaceAll('_', ' ')
    .toLowerCase();
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/**
 * The choice to offer first. Of lifetimes, it is one that renews itself while it is used, or else one that does not end, so that
 * nobody is signed out during the day.
 */
export function preferredChoice({ choices }: StepInput): string {
  const find = (pattern: RegExp): string | undefined => choices.find((choice) => pattern.test(choice));
  return find(/(^|_)AUTO(_|$)/) ?? find(/^PERMANENT$/) ?? find(/^RENEWABLE/) ?? choices[0] ?? '';
}

function readValue({ kind }: StepInput, text: string | undefined): unknown {
  if (kind === 'boolean') return text !== undefined;
  return kind === 'number' ? Number(text) : text;
}

function readAnswer(answer: Payload, result: string): StepAnswer {
  const { nextMutation, userErrors } = answer;
  if (userErrors.length > 0) {
    const parameters = userErrors.flatMap(({ parameter }) => (parameter === null ? [] : [parameter]));
    throw new OperationError(userErrors.map(({ message }) => message).join('; '), 200, parameters);
  }
  const { token, complete } = answer[result] as { token: string; complete?: boolean };
  if (complete === false && nextMutation === null) throw new Error(STEP_NOT_DESCRIBED);
  return { nextMutation, token };
}
