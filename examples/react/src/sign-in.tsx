// Signs a person in by a token, and finds out who they are.
import { type FormEvent, useState } from 'react';
import type { Client } from 'urql';
import { graphql } from './__generated__/gql.ts';
import { createApiClient } from './client.ts';
import { ErrorMessage } from './error-message.tsx';

const SESSION = graphql(`
  query Session {
    session {
      user {
        label
      }
    }
  }
`);

/** A person who has signed in. */
export interface Session {
  readonly client: Client;
  readonly user: string;
}

export function SignIn({ onSignIn }: { onSignIn: (session: Session) => void }) {
  const [token, setToken] = useState('');
  const [isPending, setPending] = useState(false);
  const [error, setError] = useState<Error | null>(null);

  async function signIn(event: FormEvent) {
    event.preventDefault();
    setPending(true);
    const client = createApiClient(token.trim());
    const { data, error } = await client.query(SESSION, {});
    setPending(false);
    setError(error ?? null);
    if (data && !error) onSignIn({ client, user: data.session.user?.label ?? 'Somebody' });
  }

  return (
    <form className="sign-in" onSubmit={signIn}>
      <label htmlFor="token">Token</label>
      <input
        id="token"
        type="password"
        autoComplete="off"
        required
        aria-describedby="token-hint"
        value={token}
        onChange={(event) => setToken(event.target.value)}
      />
      <p id="token-hint" className="quiet">
        The sandbox prints a token for each of its users when it starts.
      </p>
      <button type="submit" disabled={isPending}>
        Sign in
      </button>
      <ErrorMessage error={error} />
    </form>
  );
}
