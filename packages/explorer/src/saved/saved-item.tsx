// One saved operation: it can be opened, renamed and deleted.
import { Button, PenIcon, TrashIcon, UnStyledButton } from '@graphiql/react';
import { type FormEvent, useEffect, useId, useRef, useState } from 'react';
import { tryDescribe } from './describe-operation.ts';
import { OperationLabel } from './operation-label.tsx';
import type { SavedOperation } from './saved-operations.ts';

/** An item of the list. */
export function SavedItem({
  operation: { name, query },
  open,
  rename,
  remove,
}: {
  readonly operation: SavedOperation;
  readonly open: () => void;
  /** @returns Whether the name is accepted. */
  readonly rename: (name: string) => Promise<boolean>;
  readonly remove: () => void;
}) {
  const [isRenamed, setRenamed] = useState(false);
  const button = useRef<HTMLButtonElement>(null);
  function close(): void {
    setRenamed(false);
    // The button comes back first.
    requestAnimationFrame(() => button.current?.focus());
  }
  if (isRenamed)
    return (
      <li>
        <NameForm name={name} rename={rename} close={close} />
      </li>
    );
  return (
    <li>
      <OperationLabel title={name} facts={tryDescribe(query)} open={open}>
        <UnStyledButton
          ref={button}
          aria-label={`Rename ${name}`}
          title="Rename"
          onClick={() => setRenamed(true)}
        >
          <PenIcon aria-hidden="true" />
        </UnStyledButton>
        <UnStyledButton aria-label={`Delete ${name}`} title="Delete" onClick={remove}>
          <TrashIcon aria-hidden="true" />
        </UnStyledButton>
      </OperationLabel>
    </li>
  );
}

function NameForm({
  name,
  rename,
  close,
}: {
  readonly name: string;
  readonly rename: (name: string) => Promise<boolean>;
  readonly close: () => void;
}) {
  const id = useId();
  const field = useRef<HTMLInputElement>(null);
  const [typed, setTyped] = useState(name);
  useEffect(() => field.current?.select(), []);
  async function submit(event: FormEvent): Promise<void> {
    event.preventDefault();
    const chosen = typed.trim();
    if (chosen === '' || chosen === name || (await rename(chosen))) close();
  }
  return (
    <form
      onSubmit={(event) => void submit(event)}
      onKeyDown={({ key }) => {
        if (key === 'Escape') close();
      }}
    >
      <label htmlFor={id}>New name of {name}</label>
      <input
        id={id}
        ref={field}
        maxLength={100}
        autoComplete="off"
        value={typed}
        onChange={({ target }) => setTyped(target.value)}
      />
      <Button type="submit">Rename</Button>
      <Button type="button" onClick={close}>
        Cancel
      </Button>
    </form>
  );
}
