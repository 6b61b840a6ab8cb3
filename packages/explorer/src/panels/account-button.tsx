// The button that shows who is signed in, and its dialog to sign in and out.
import { Button, VisuallyHidden } from '@graphiql/react';
import { useEffect, useRef, useState, useSyncExternalStore } from 'react';
import { useExplorer } from '../explorer-context.ts';
import type { SessionState } from '../session/session.ts';
import { SignIn } from './sign-in.tsx';
import { TitledDialog } from './titled-dialog.tsx';

type SignedIn = Extract<SessionState, { kind: 'signed-in' }>;

/** Shows the session, and opens the dialog. */
export function AccountButton() {
  const { session, isAccountOpen, openAccount } = useExplorer();
  const state = useSyncExternalStore(session.subscribe, session.read);
  const button = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    // The page is shown anew for a user who has just signed in here.
    if (session.readCaller() > 0) button.current?.focus();
  }, [session]);
  useEffect(() => {
    // The end of a session moves with its use.
    if (isAccountOpen) void session.check();
  }, [session, isAccountOpen]);
  const isSignedOut = state.kind === 'signed-out';
  return (
    <>
      <button
        ref={button}
        type="button"
        className="optiongraph-account"
        aria-haspopup="dialog"
        onClick={() => openAccount(true)}
      >
        {isSignedOut ? 'Sign in' : <Who state={state} />}
      </button>
      <TitledDialog
        title={isSignedOut ? 'Sign in' : 'Your session'}
        description={
          isSignedOut ? 'Ways to sign in to the management API.' : 'Who is signed in, and how long.'
        }
        isOpen={isAccountOpen}
        onOpenChange={openAccount}
        opener={button}
      >
        {isSignedOut ? <SignIn hasEnded={state.hasEnded} /> : <SignedIn state={state} />}
      </TitledDialog>
    </>
  );
}

function Who({ state }: { readonly state: SessionState }) {
  const user = state.kind === 'signed-in' ? state.user : null;
  if (user === null) return 'Signed in';
  return (
    <>
      <VisuallyHidden>Signed in as </VisuallyHidden>
      {user.label}
      {user.role === null ? null : (
        <>
          {' '}
          <span className="optiongraph-role">{user.role}</span>
        </>
      )}
    </>
  );
}

const METHODS: Readonly<Record<string, string>> = {
  BASIC: 'with HTTP basic',
  BEARER: 'with an access token',
  TOKEN: 'with a session token',
  OAUTH2: 'at the provider',
};

function SignedIn({ state }: { readonly state: SessionState }) {
  const { session } = useExplorer();
  const [problem, setProblem] = useState<string | null>(null);
  return (
    <>
      {state.kind === 'signed-in' ? <Session state={state} /> : <p>The server does not answer.</p>}
      <Button onClick={() => void session.signOut().catch((error: Error) => setProblem(error.message))}>
        Sign out
      </Button>
      {problem === null ? null : <p role="alert">{problem}</p>}
    </>
  );
}

function Session({ state: { user, method, expiresAt } }: { readonly state: SignedIn }) {
  return (
    <dl className="optiongraph-facts">
      {user === null ? null : (
        <>
          <dt>User</dt>
          <dd>{user.role === null ? user.label : `${user.label} (${user.role})`}</dd>
        </>
      )}
      <dt>Signed in</dt>
      <dd>{METHODS[method] ?? method}</dd>
      <dt>Until</dt>
      <dd>
        {expiresAt === null
          ? 'you sign out, or the API ends the session'
          : new Date(expiresAt).toLocaleString()}
      </dd>
    </dl>
  );
}
