// Signs in through the mutations that the schema describes, each of which names the next one.
import {
  buildClientSchema,
  type GraphQLField,
  type GraphQLOutputType,
  getIntrospectionQuery,
  getNamedType,
  isInputObjectType,
  isObjectType,
} from 'graphql';
import { OperationError } from './operation-error.ts';
import type { Query } from './session-user.ts';
import { readStepInputs, type StepInput } from './step-inputs.ts';

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

interface Payload {
  readonly nextMutation: string | null;
  readonly userErrors: readonly { readonly message: string; readonly parameter: string | null }[];
  readonly [result: string]: unknown;
}

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
  const schema = buildClientSchema(await query(getIntrospectionQuery()));
  const mutations = Object.values(schema.getMutationType()?.getFields() ?? {});
  return new Map(
    mutations
      .filter(({ type }) => 'nextMutation' in fieldsOf(type))
      .map((mutation) => [mutation.name, createStep(query, mutation)]),
  );
}

function fieldsOf(type: GraphQLOutputType): Readonly<Record<string, GraphQLField<unknown, unknown>>> {
  const named = getNamedType(type);
  return isObjectType(named) ? named.getFields() : {};
}

/** The step that a sign-in begins with: it takes no token of an earlier one. Undefined if there is none. */
export const findFirstStep = (steps: ReadonlyMap<string, SignInStep>): SignInStep | undefined =>
  [...steps.values()].find(({ inputs }) => inputs.every(({ name }) => name !== TOKEN_INPUT));

function createStep(query: Query, { name, args, type }: GraphQLField<unknown, unknown>): SignInStep {
  const input = getNamedType(args.find((argument) => argument.name === 'input')?.type);
  const fields = isInputObjectType(input) ? input.getFields() : {};
  const inputs = readStepInputs(Object.values(fields));
  const result = Object.values(fieldsOf(type)).find((field) => 'token' in fieldsOf(field.type));
  const resultName = result?.name ?? 'token';
  const complete = result !== undefined && 'complete' in fieldsOf(result.type) ? 'complete' : '';
  const selection = `nextMutation userErrors { message parameter } ${resultName} { token ${complete} }`;
  const document = `mutation ($input: ${input?.name}!) { step: ${name}(input: $input) { ${selection} } }`;
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
      for (let seconds = fields[INTERVAL] ? WORKING_DAY : 0; seconds >= SHORTEST; seconds /= 2)
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
