// The ways to sign in: by the API's own steps, at an OAuth 2.0 provider, or with a token.
import { Button } from '@graphiql/react';
import { useEffect, useId, useState } from 'react';
import { config } from '../config.ts';
import { useExplorer } from '../explorer-context.ts';
import type { PageCredential } from '../session/kept.ts';
import {
  findFirstStep,
  readSignInSteps,
  type SignInStep,
  STEP_NOT_DESCRIBED,
  TOKEN_INPUT,
} from '../sign-in/sign-in-steps.ts';
import { StepFields } from './step-fields.tsx';
import { useSubmit } from './use-submit.ts';

/** Shows all ways that the API and the server offer. */
export function SignIn({ hasEnded }: { readonly hasEnded: boolean }) {
  return (
    <>
      {hasEnded ? (
        <p role="status" className="optiongraph-notice">
          Your session has ended. Sign in again to continue.
        </p>
      ) : null}
      <StepsSection />
      {config.authPath === null ? null : (
        <section>
          <h3>At the provider</h3>
          <a
            className="graphiql-button"
            href={`${config.authPath}/login?returnTo=${encodeURIComponent(location.pathname + location.search)}`}
          >
            Sign in at the provider
          </a>
        </section>
      )}
      <TokenSection />
    </>
  );
}

/** Begins to use a credential, and closes the dialog. */
function useSignIn(): (credential: PageCredential) => Promise<void> {
  const { session, openAccount } = useExplorer();
  return async (credential) => {
    await session.signIn(credential);
    openAccount(false);
  };
}

function StepsSection() {
  const { session } = useExplorer();
  const signIn = useSignIn();
  const [steps, setSteps] = useState<ReadonlyMap<string, SignInStep> | null>(null);
  /** The step after the first one, with the token that the previous step has answered. */
  const [next, setNext] = useState<{ readonly step: SignInStep; readonly token: string } | null>(null);
  useEffect(() => {
    readSignInSteps((query, variables) => session.execute(query, variables)).then(setSteps, () => undefined);
  }, [session]);
  const first = steps === null ? undefined : findFirstStep(steps);
  if (first === undefined || config.tokenHeader === null) return null;
  const { tokenHeader } = config;
  const run = async (step: SignInStep, texts: Record<string, string>): Promise<void> => {
    const answer = await step.run(texts);
    if (answer.nextMutation === null)
      return signIn({ name: tokenHeader, value: answer.token, isIssued: true });
    const following = steps?.get(answer.nextMutation);
    if (following === undefined) throw new Error(STEP_NOT_DESCRIBED);
    setNext({ step: following, token: answer.token });
  };
  return (
    <section>
      <h3>{next === null ? 'With your user name' : 'One more step'}</h3>
      {/* The first form stays, with what is filled in, while the next one is shown. */}
      <StepForm step={first} button="Sign in" isHidden={next !== null} run={(texts) => run(first, texts)} />
      {next === null ? null : (
        <StepForm
          key={next.step.name}
          step={next.step}
          button="Continue"
          onBack={() => setNext(null)}
          run={(texts) => run(next.step, { ...texts, [TOKEN_INPUT]: next.token })}
        />
      )}
    </section>
  );
}

interface StepFormProps {
  readonly step: SignInStep;
  readonly button: string;
  readonly isHidden?: boolean;
  readonly onBack?: () => void;
  readonly run: (texts: Record<string, string>) => Promise<void>;
}

function StepForm({ step, button, isHidden = false, onBack, run }: StepFormProps) {
  const { isBusy, problem, submit } = useSubmit(run);
  return (
    <form hidden={isHidden} onSubmit={submit} method="post">
      <StepFields inputs={step.inputs} isFollowing={onBack !== undefined} />
      <div className="optiongraph-buttons">
        <Button type="submit" disabled={isBusy}>
          {button}
        </Button>
        {onBack === undefined ? null : <Button onClick={onBack}>Back</Button>}
      </div>
      {problem === null ? null : <p role="alert">{problem}</p>}
    </form>
  );
}

function TokenSection() {
  const signIn = useSignIn();
  const id = useId();
  const { isBusy, problem, submit } = useSubmit(async ({ header = '', token = '' }) => {
    const text = token.trim();
    const isBare = header === 'Authorization' && !text.includes(' ');
    await signIn({ name: header, value: isBare ? `Bearer ${text}` : text, isIssued: false });
  });
  return (
    <section>
      <h3>With a token that you have</h3>
      <form onSubmit={submit} method="post">
        <label htmlFor={`${id}-header`}>Header</label>
        <select id={`${id}-header`} name="header" defaultValue={config.tokenHeader ?? config.headerNames[0]}>
          {config.headerNames.map((name) => (
            <option key={name}>{name}</option>
          ))}
        </select>
        <label htmlFor={`${id}-token`}>Token</label>
        <input id={`${id}-token`} name="token" type="password" required autoComplete="off" />
        <div className="optiongraph-buttons">
          <Button type="submit" disabled={isBusy}>
            Use token
          </Button>
        </div>
        {problem === null ? null : <p role="alert">{problem}</p>}
      </form>
    </section>
  );
}
