// The button that shows who is signed in, and its dialog to sign in and out.
import { Button, VisuallyHidden } from '@graphiql/react';
import { useEffect, useRef, useState } from 'react';
import { openAccount, type SessionState, session, useSession } from '../session/session.ts';
import { fetchUser, type SessionUser } from '../sign-in/session-user.ts';
import { SignIn } from './sign-in.tsx';
import { TitledDialog } from './titled-dialog.tsx';

/** Shows the session, and opens the dialog. */
export function AccountButton() {
  const { state, caller, isAccountOpen } = useSession();
  const user = useUser();
  const button = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    // The page is shown anew for a user who has just signed in here.
    if (caller > 0) button.current?.focus();
  }, [caller]);
  useEffect(() => {
    // The end of a session moves with its use.
    if (isAccountOpen) void session.check();
  }, [isAccountOpen]);
  const isSignedOut = state.kind === 'signed-out';
  return (
    <>
      <Button
        ref={button}
        className="optiongraph-account"
        aria-haspopup="dialog"
        onClick={() => openAccount(true)}
      >
        {isSignedOut ? 'Sign in' : <Who user={user} />}
      </Button>
      <TitledDialog
        title={isSignedOut ? 'Sign in' : 'Your session'}
        description={
          isSignedOut ? 'Ways to sign in to the management API.' : 'Who is signed in, and how long.'
        }
        isOpen={isAccountOpen}
        onOpenChange={openAccount}
        opener={button}
      >
        {isSignedOut ? <SignIn hasEnded={state.hasEnded} /> : <Session state={state} user={user} />}
      </TitledDialog>
    </>
  );
}

/** The user of the session; null until the API has said who it is, and where it cannot say so. */
function useUser(): SessionUser | null {
  const isSignedIn = useSession(({ state }) => state.kind === 'signed-in');
  const [user, setUser] = useState<SessionUser | null>(null);
  useEffect(() => {
    if (isSignedIn) fetchUser(session.execute).then(setUser, () => undefined);
  }, [isSignedIn]);
  return user;
}

function Who({ user }: { readonly user: SessionUser | null }) {
  if (user === null) return 'Signed in';
  return (
    <>
      <VisuallyHidden>Signed in as </VisuallyHidden>
      {user.label} {user.role === null ? null : <span className="optiongraph-role">{user.role}</span>}
    </>
  );
}

const METHODS: Readonly<Record<string, string>> = {
  BASIC: 'with HTTP basic',
  BEARER: 'with an access token',
  TOKEN: 'with a session token',
  OAUTH2: 'at the provider',
};

function Session({ state, user }: { readonly state: SessionState; readonly user: SessionUser | null }) {
  const [problem, setProblem] = useState<string | null>(null);
  return (
    <>
      {state.kind === 'signed-in' ? (
        <dl className="optiongraph-facts">
          {user === null ? null : (
            <>
              <dt>User</dt>
              <dd>{user.role === null ? user.label : `${user.label} (${user.role})`}</dd>
            </>
          )}
          <dt>Signed in</dt>
          <dd>{METHODS[state.method] ?? state.method}</dd>
          <dt>Until</dt>
          <dd>
            {state.expiresAt === null
              ? 'you sign out, or the API ends the session'
              : new Date(state.expiresAt).toLocaleString()}
          </dd>
        </dl>
      ) : (
        <p>The server does not answer.</p>
      )}
      <Button onClick={() => void session.signOut().catch((error: Error) => setProblem(error.message))}>
        Sign out
      </Button>
      {problem === null ? null : <p role="alert">{problem}</p>}
    </>
  );
}
