// The ways to sign in: by the API's own steps, at an OAuth 2.0 provider, or with a token.
import { useEffect, useId, useState } from 'react';
import { config } from '../config.ts';
import type { PageCredential } from '../session/credential.ts';
import { openAccount, session } from '../session/session.ts';
import {
  findFirstStep,
  readSignInSteps,
  type SignInStep,
  STEP_NOT_DESCRIBED,
  TOKEN_INPUT,
} from '../sign-in/sign-in-steps.ts';
import { StepFields } from './step-fields.tsx';
import { SubmitForm } from './submit-form.tsx';

/** Shows all ways that the API and the server offer. */
export function SignIn({ hasEnded }: { readonly hasEnded: boolean }) {
  return (
    <>
      {hasEnded ? (
        <p role="status" className="optiongraph-notice">
          Your session has ended. Sign in again to continue.
        </p>
      ) : null}
      {config.signInHint === null ? null : <p className="optiongraph-hint">{config.signInHint}</p>}
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
async function signIn(credential: PageCredential): Promise<void> {
  await session.signIn(credential);
  openAccount(false);
}

function StepsSection() {
  const [steps, setSteps] = useState<ReadonlyMap<string, SignInStep> | null>(null);
  /** The step after the first one, with the token that the previous step has answered. */
  const [next, setNext] = useState<{ readonly step: SignInStep; readonly token: string } | null>(null);
  useEffect(() => {
    readSignInSteps(session.execute).then(setSteps, () => undefined);
  }, []);
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
      <SubmitForm button="Sign in" isHidden={next !== null} run={(texts) => run(first, texts)}>
        <StepFields inputs={first.inputs} isFollowing={false} />
      </SubmitForm>
      {next === null ? null : (
        <SubmitForm
          key={next.step.name}
          button="Continue"
          onBack={() => setNext(null)}
          run={(texts) => run(next.step, { ...texts, [TOKEN_INPUT]: next.token })}
        >
          <StepFields inputs={next.step.inputs} isFollowing />
        </SubmitForm>
      )}
    </section>
  );
}

function TokenSection() {
  const id = useId();
  const run = ({ header = '', token = '' }: Record<string, string>): Promise<void> => {
    const text = token.trim();
    const isBare = header === 'Authorization' && !text.includes(' ');
    return signIn({ name: header, value: isBare ? `Bearer ${text}` : text, isIssued: false });
  };
  return (
    <section>
      <h3>With a token that you have</h3>
      <SubmitForm button="Use token" run={run}>
        <label htmlFor={`${id}-header`}>Header</label>
        <select id={`${id}-header`} name="header" defaultValue={config.tokenHeader ?? config.headerNames[0]}>
          {config.headerNames.map((name) => (
            <option key={name}>{name}</option>
          ))}
        </select>
        <label htmlFor={`${id}-token`}>Token</label>
        <input id={`${id}-token`} name="token" type="password" required autoComplete="off" />
      </SubmitForm>
    </section>
  );
}
