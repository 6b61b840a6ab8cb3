// Signs in through the mutations that the schema describes, each of which names the next one.
import { OperationError } from './operation-error.ts';
import type { Query } from './session-user.ts';
import { type InputField, readStepInputs, type StepInput } from './step-inputs.ts';

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
  /** Runs the step with the texts that people gave. @throws OperationError for people when the API refuses. */
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
  input: __type(name: $input) {
    inputFields { name description type { kind ofType { name enumValues { name description } } } }
  }
  payload: __type(name: $payload) { fields { name type { fields { name } } } }
}`;

/** The message for a sign-in that cannot be completed. */
export const STEP_NOT_DESCRIBED =
  'The API requires a further step that it does not describe; sign in with another client.';
/** The token of the previous step, which nobody is asked for. */
export const TOKEN_INPUT = 'token';
/** The protocol's input for the seconds that a token lives, or lives on after each use. */
const INTERVAL = 'interval';
/** Seconds of a working day, with its breaks. */
const WORKING_DAY = 12 * 60 * 60;
/** Seconds below which the API's own default counts. */
const SHORTEST = 10 * 60;

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

/** The step that a sign-in begins with: it takes no token of an earlier one. Undefined if there is none. */
export const findFirstStep = (steps: ReadonlyMap<string, SignInStep>): SignInStep | undefined =>
  [...steps.values()].find(({ inputs }) => inputs.every(({ name }) => name !== TOKEN_INPUT));

function createStep(
  query: Query,
  name: string,
  inputType: string,
  { input, payload }: StepTypes,
): SignInStep {
  const inputs = readStepInputs(input.inputFields);
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
      // An API may allow less than a working day. Refused input has started nothing.
      for (let seconds = takesInterval ? WORKING_DAY : 0; seconds >= SHORTEST; seconds /= 2)
        try {
          return await send({ ...values, [INTERVAL]: seconds });
        } catch (error) {
          if (!(error instanceof OperationError && error.parameters.includes(INTERVAL))) throw error;
        }
      return send(values);
    },
  };
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
  if (complete === false && nextMutation === null) throw new OperationError(STEP_NOT_DESCRIBED, 200);
  return { nextMutation, token };
}
