// The button that writes the current operation for a shell or a program, and its dialog.
import { Button, type MonacoEditor, pick, ToolbarButton, tryParseJSONC, useGraphiQL } from '@graphiql/react';
import { useId, useRef, useState } from 'react';
import { config } from '../config.ts';
import { COPY_FORMS, type CopiedOperation, variableOf } from '../operations/copy-as.ts';
import { session } from '../session/session.ts';
import { LineIcon } from './line-icon.tsx';
import { TitledDialog } from './titled-dialog.tsx';

/** A button of the toolbar. */
export function CopyAsButton() {
  const state = useGraphiQL(
    pick('queryEditor', 'variableEditor', 'headerEditor', 'operationName', 'operations'),
  );
  const [copied, setCopied] = useState<CopiedOperation | null>(null);
  const button = useRef<HTMLButtonElement>(null);
  const open = (): void =>
    setCopied({
      url: location.origin + location.pathname,
      query: state.queryEditor?.getValue() ?? '',
      operationName: (state.operations ?? []).length > 1 ? (state.operationName ?? null) : null,
      variables: readEditor(
        state.variableEditor,
        (value) => (Object.keys(value).length === 0 ? null : value),
        null,
      ),
      headers: headerNames(readEditor(state.headerEditor, (value) => new Headers(value), new Headers())),
    });
  return (
    <>
      <ToolbarButton
        ref={button}
        label="Copy as a command or a program"
        aria-haspopup="dialog"
        onClick={open}
      >
        <LineIcon className="graphiql-toolbar-icon" path="m5 6 5 6-5 6M12 18h7" />
      </ToolbarButton>
      <TitledDialog
        title="Copy as"
        description="The operation as a command or a program."
        isOpen={copied !== null}
        onOpenChange={() => setCopied(null)}
        opener={button}
      >
        {copied === null ? null : <Copied operation={copied} />}
      </TitledDialog>
    </>
  );
}

function Copied({ operation }: { readonly operation: CopiedOperation }) {
  const id = useId();
  const field = useRef<HTMLTextAreaElement>(null);
  const [form, setForm] = useState<keyof typeof COPY_FORMS>('curl');
  const [status, setStatus] = useState('');
  const names = operation.headers.map((header) => variableOf(header, config.tokenHeader));
  function copy(): void {
    const { current } = field;
    // Browsers offer the clipboard to secure pages only.
    const copying = navigator.clipboard?.writeText(current?.value ?? '') ?? Promise.reject();
    copying.then(
      () => setStatus('Copied.'),
      () => {
        current?.select();
        setStatus('The browser does not allow it. The text is selected: press Ctrl-C.');
      },
    );
  }
  return (
    <div className="optiongraph-fields optiongraph-copied">
      <label htmlFor={`${id}-form`}>Form</label>
      <select
        id={`${id}-form`}
        value={form}
        onChange={({ target }) => {
          setForm(target.value as keyof typeof COPY_FORMS);
          setStatus('');
        }}
      >
        {Object.keys(COPY_FORMS).map((name) => (
          <option key={name}>{name}</option>
        ))}
      </select>
      <label htmlFor={`${id}-text`}>Text</label>
      <textarea
        id={`${id}-text`}
        ref={field}
        readOnly
        rows={14}
        spellCheck={false}
        value={COPY_FORMS[form](operation, config.tokenHeader)}
      />
      {names.length === 0 ? null : (
        <p>
          Your headers are not copied. Set the environment of the program: <code>{names.join(', ')}</code>.
        </p>
      )}
      <div className="optiongraph-buttons">
        <Button onClick={copy}>Copy</Button>
        <span role="status">{status}</span>
      </div>
    </div>
  );
}

/** The headers of the header editor, and the one for the credential of the session. */
function headerNames(given: Headers): readonly string[] {
  const { headers, usesSession } = session.authorize(given);
  headers.delete('x-requested-with');
  const hasCredential = config.headerNames.some((name) => headers.has(name));
  // Programs have no cookie.
  if (usesSession && !hasCredential) headers.set(config.tokenHeader ?? 'Authorization', '');
  return [...headers.keys()];
}

/** Reads an editor as GraphiQL does, which allows comments. What GraphiQL would not send is nothing. */
function readEditor<T>(
  editor: MonacoEditor | undefined,
  read: (value: Record<string, string>) => T,
  nothing: T,
): T {
  try {
    return read((tryParseJSONC(editor?.getValue()) ?? {}) as Record<string, string>);
  } catch {
    return nothing;
  }
}
