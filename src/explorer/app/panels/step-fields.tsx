// The fields of one step of signing in.
import { useEffect, useId, useRef } from 'react';
import { preferredChoice, type StepInput, TOKEN_INPUT, toWords } from '../session/sign-in-steps.ts';

/** Shows a labelled field for each input that the user fills in. */
export function StepFields({
  inputs,
  isFollowing,
}: {
  readonly inputs: readonly StepInput[];
  /** Whether the step follows another one; then its first field is focused. */
  readonly isFollowing: boolean;
}) {
  const container = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (isFollowing) container.current?.querySelector<HTMLElement>('input, select')?.focus();
  }, [isFollowing]);
  return (
    <div ref={container} className="optiongraph-fields">
      {inputs
        .filter(({ name }) => !isFollowing || name !== TOKEN_INPUT)
        .sort((a, b) => rankOf(a) - rankOf(b))
        .map((input) => (
          <StepField key={input.name} input={input} />
        ))}
    </div>
  );
}

function StepField({ input }: { readonly input: StepInput }) {
  const id = useId();
  const { name, label, kind, choices } = input;
  if (kind === 'boolean')
    return (
      <label className="optiongraph-check">
        <input name={name} type="checkbox" /> {label}
      </label>
    );
  return (
    <>
      <label htmlFor={id}>{label}</label>
      {kind === 'choice' ? (
        <select id={id} name={name} defaultValue={preferredChoice(input)}>
          {choices.map((choice) => (
            <option key={choice} value={choice}>
              {toWords(choice)}
            </option>
          ))}
        </select>
      ) : (
        <input id={id} name={name} required spellCheck={false} autoCapitalize="none" {...purposeOf(input)} />
      )}
    </>
  );
}

/** Who, then the secret, then how: the order in which people and password managers fill in. */
function rankOf(input: StepInput): number {
  if (input.kind === 'choice' || input.kind === 'boolean') return 3;
  const rank = ['username', 'current-password'].indexOf(purposeOf(input).autoComplete);
  return rank === -1 ? 2 : rank;
}

/** What password managers and phones need to know about a field. */
function purposeOf({ name, kind }: StepInput): { type: string; autoComplete: string; inputMode?: 'numeric' } {
  if (/pass/i.test(name)) return { type: 'password', autoComplete: 'current-password' };
  const type = kind === 'number' ? 'number' : 'text';
  if (/code|otp|pin/i.test(name)) return { type, autoComplete: 'one-time-code', inputMode: 'numeric' };
  return { type, autoComplete: /user|login|email|name/i.test(name) ? 'username' : 'off' };
}
