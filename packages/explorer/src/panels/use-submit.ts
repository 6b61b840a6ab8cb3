// Submits forms, and keeps what went wrong.
import { type FormEvent, useState } from 'react';
import { errorText } from '../error-text.ts';

/** What a form shows, and what it does. */
export interface Submission {
  readonly isBusy: boolean;
  /** Why the latest attempt failed; null for no failure. */
  readonly problem: string | null;
  readonly submit: (event: FormEvent<HTMLFormElement>) => void;
}

/** Makes a form's submission. @param run Takes the texts of the form by name, and rejects with an error for people. */
export function useSubmit(run: (texts: Record<string, string>) => Promise<void>): Submission {
  const [isBusy, setBusy] = useState(false);
  const [problem, setProblem] = useState<string | null>(null);
  return {
    isBusy,
    problem,
    submit(event) {
      event.preventDefault();
      const texts = Object.fromEntries(new FormData(event.currentTarget)) as Record<string, string>;
      setBusy(true);
      setProblem(null);
      run(texts)
        .catch((error: unknown) => setProblem(errorText(error)))
        .finally(() => setBusy(false));
    },
  };
}
