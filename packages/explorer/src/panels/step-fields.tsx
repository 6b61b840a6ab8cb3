// The fields of one step of signing in.
import { useEffect, useId, useRef } from 'react';
import { TOKEN_INPUT } from '../sign-in/sign-in-steps.ts';
import { preferredChoice, type StepInput } from '../sign-in/step-inputs.ts';

/** Shows a labelled field for each input that the user fills in, and focuses the first one. */
export function StepFields({
  inputs,
  isFollowing,
}: {
  readonly inputs: readonly StepInput[];
  /** Whether the step follows another one. */
  readonly isFollowing: boolean;
}) {
  const container = useRef<HTMLDivElement>(null);
  useEffect(() => {
    // The user may already be filling in another form.
    const isElsewhere = document.activeElement instanceof HTMLInputElement;
    if (isFollowing || !isElsewhere) container.current?.querySelector<HTMLElement>('input, select')?.focus();
  }, [isFollowing]);
  return (
    <div ref={container} className="optiongraph-fields">
      {inputs
        .filter(({ name }) => !isFollowing || name !== TOKEN_INPUT)
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
        <select id={id} name={name} defaultValue={preferredChoice(input) ?? undefined}>
          {choices.map((choice) => (
            <option key={choice.value} value={choice.value}>
              {choice.label}
            </option>
          ))}
        </select>
      ) : (
        <input
          id={id}
          name={name}
          required
          spellCheck={false}
          autoCapitalize="none"
          {...attributesOf(input)}
        />
      )}
    </>
  );
}

/** How a browser treats a field. */
function attributesOf({ kind, purpose }: StepInput): {
  type: string;
  autoComplete: string;
  inputMode?: 'numeric';
} {
  const type = purpose === 'current-password' ? 'password' : kind === 'number' ? 'number' : 'text';
  return { type, autoComplete: purpose, ...(purpose === 'one-time-code' ? { inputMode: 'numeric' } : {}) };
}
