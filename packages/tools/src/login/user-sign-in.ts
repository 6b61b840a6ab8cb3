// Signs in by the steps that the API describes, such as a password and then a one-time code.
import { OperationError } from '@optiongraph/explorer/sign-in/operation-error';
import type { Query } from '@optiongraph/explorer/sign-in/session-user';
import {
  findFirstStep,
  readSignInSteps,
  type SignInStep,
  STEP_NOT_DESCRIBED,
  type StepAnswer,
  TOKEN_INPUT,
} from '@optiongraph/explorer/sign-in/sign-in-steps';
import { preferredChoice, type StepInput } from '@optiongraph/explorer/sign-in/step-inputs';
import { CommandError, EXIT_CODES, usageError } from '../command-line/exit-codes.ts';
import type { Answers } from '../output/terminal.ts';

/**
 * Signs in.
 * @param user Who signs in; null: it is asked.
 * @returns The token.
 * @throws CommandError when the API offers no such way, or refuses.
 */
export async function signInBySteps(query: Query, user: string | null, answers: Answers): Promise<string> {
  const steps = await readSignInSteps(query);
  let step = findFirstStep(steps);
  if (step === undefined)
    throw refuse(
      'The API describes no way to get a token by a user name and a password. To sign in at its OAuth 2.0 provider, give --oauth-client-id.',
    );
  const known: Record<string, string> = {};
  for (;;) {
    const { nextMutation, token } = await run(step, await answerStep(step, known, user, answers));
    if (nextMutation === null) return token;
    step = steps.get(nextMutation);
    if (step === undefined) throw refuse(STEP_NOT_DESCRIBED);
    known[TOKEN_INPUT] = token;
  }
}

/** Runs a step. What the API refuses becomes the error of the command. */
async function run(step: SignInStep, texts: Readonly<Record<string, string>>): Promise<StepAnswer> {
  try {
    return await step.run(texts);
  } catch (error) {
    if (error instanceof OperationError) throw refuse(`The API did not let you sign in: ${error.message}`);
    throw error;
  }
}

/** The texts of a step's inputs. Those that are known, or that have a value for most people, are not asked. */
async function answerStep(
  { inputs }: SignInStep,
  known: Readonly<Record<string, string>>,
  user: string | null,
  answers: Answers,
): Promise<Readonly<Record<string, string>>> {
  const texts: Record<string, string> = {};
  for (const input of inputs) {
    const given = known[input.name] ?? (input.purpose === 'username' ? user : null) ?? preferredChoice(input);
    const text = given ?? (await ask(input, answers));
    if (text !== null) texts[input.name] = text;
  }
  return texts;
}

/** Asks for the text of an input; null stands for a box that is not ticked. */
async function ask({ label, kind, purpose, choices }: StepInput, answers: Answers): Promise<string | null> {
  if (kind === 'boolean') return /^y(es)?$/i.test(await answers.ask(`${label} [y/N]`, false)) ? 'yes' : null;
  if (kind !== 'choice') return answers.ask(label, purpose !== 'username');
  const given = await answers.ask(`${label} (${choices.map(({ value }) => value).join(', ')})`, false);
  const chosen = choices.find(({ value }) => value.toLowerCase() === given.trim().toLowerCase());
  if (chosen === undefined) throw usageError(`${label} must be one of the values in brackets.`);
  return chosen.value;
}

const refuse = (message: string): CommandError => new CommandError(EXIT_CODES.credentials, message);
