// The page: a form to sign in, and then the datasets of the person who has signed in.
import { useState } from 'react';
import { Provider } from 'urql';
import { DatasetList } from './dataset-list.tsx';
import { type Session, SignIn } from './sign-in.tsx';

export function App() {
  // The token is kept in memory only: who loads the page again signs in again.
  const [session, setSession] = useState<Session | null>(null);
  return (
    <>
      <header>
        <h1>Datasets</h1>
        {session && (
          <p>
            {session.user}
            <button type="button" onClick={() => setSession(null)}>
              Sign out
            </button>
          </p>
        )}
      </header>
      <main>
        {session === null ? (
          <SignIn onSignIn={setSession} />
        ) : (
          <Provider value={session.client}>
            <DatasetList />
          </Provider>
        )}
      </main>
    </>
  );
}
