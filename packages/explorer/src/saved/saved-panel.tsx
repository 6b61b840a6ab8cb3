// The pane with the operations that the user has saved, and with those of the operator.
import { Button, type GraphiQLPlugin, pick, useGraphiQL } from '@graphiql/react';
import { type FormEvent, useId, useRef, useState } from 'react';
import { errorText } from '../error-text.ts';
import { LineIcon } from '../panels/line-icon.tsx';
import { browserStorage } from '../storage.ts';
import { CollectionList } from './collection-list.tsx';
import { describeOperation } from './describe-operation.ts';
import { readManifest, writeManifest } from './manifest-file.ts';
import { useOpenOperation } from './open-operation.ts';
import { SavedItem } from './saved-item.tsx';
import {
  type Added,
  addOperations,
  removeOperation,
  renameOperation,
  type SavedOperation,
  storeOperations,
  useSaved,
} from './saved-operations.ts';

/** What the pane says about the last change. */
interface Notice {
  readonly text: string;
  /** The operations before and after it. It can be undone until something else changes them, such as another page. */
  readonly before: readonly SavedOperation[];
  readonly after: readonly SavedOperation[];
}

const FILE_NAME = 'operations.json';
/** Longest file, in bytes. Browsers keep about as much for a page. */
const MAX_FILE = 5_000_000;

function SavedPanel() {
  const operations = useSaved();
  const open = useOpenOperation();
  const id = useId();
  const field = useRef<HTMLInputElement>(null);
  const undoButton = useRef<HTMLButtonElement>(null);
  const [notice, setNotice] = useState<Notice | null>(null);
  const [problem, setProblem] = useState<string | null>(null);

  /** Carries out a change, and says what it did, or why it failed. @returns Whether it succeeded. */
  async function attempt(change: () => string | Promise<string>): Promise<boolean> {
    setNotice(null);
    setProblem(null);
    const before = useSaved.getState();
    try {
      setNotice({ text: await change(), before, after: useSaved.getState() });
      return true;
    } catch (error) {
      setProblem(errorText(error));
      return false;
    }
  }

  const importFile = (file: File): Promise<boolean> =>
    attempt(async () => {
      try {
        if (file.size > MAX_FILE) throw new Error(`It has more than ${MAX_FILE / 1_000_000} MB.`);
        return `${file.name}: ${wordsOf(addOperations(readManifest(await file.text())))}`;
      } catch (error) {
        throw new Error(`Nothing of ${file.name} was imported.\n${errorText(error)}`);
      }
    });
  const exportFile = (): Promise<boolean> =>
    attempt(async () => {
      download(await writeManifest(operations));
      return `Exported ${countOf(operations.length)} to ${FILE_NAME}.`;
    });
  async function remove(name: string): Promise<void> {
    await attempt(() => {
      removeOperation(name);
      return `Deleted “${name}”.`;
    });
    undoButton.current?.focus();
  }
  async function undo(before: readonly SavedOperation[]): Promise<void> {
    await attempt(() => {
      storeOperations(before);
      return 'Undone.';
    });
    field.current?.focus();
  }

  return (
    <section aria-label="Saved operations" className="optiongraph-saved">
      <h2 className="graphiql-doc-explorer-title">Saved operations</h2>
      {browserStorage.isKept ? null : (
        <p>This browser keeps nothing for this page. Export what you want to keep.</p>
      )}
      <SaveForm id={`${id}-name`} field={field} attempt={attempt} />
      <div role="status">
        {notice === null ? null : <p>{notice.text}</p>}
        {notice?.after === operations && notice.before !== operations ? (
          <Button ref={undoButton} onClick={() => void undo(notice.before)}>
            Undo
          </Button>
        ) : null}
      </div>
      {problem === null ? null : <p role="alert">{problem}</p>}
      {operations.length === 0 ? (
        <p>You have saved none in this browser.</p>
      ) : (
        <ul aria-label="Yours">
          {operations.map((operation) => (
            <SavedItem
              key={operation.name}
              operation={operation}
              open={() => open(operation)}
              rename={(name) =>
                attempt(() => {
                  renameOperation(operation.name, name);
                  return `“${operation.name}” is now called “${name}”.`;
                })
              }
              remove={() => void remove(operation.name)}
            />
          ))}
        </ul>
      )}
      <div className="optiongraph-buttons">
        <ImportButton importFile={importFile} />
        {operations.length === 0 ? null : <Button onClick={() => void exportFile()}>Export</Button>}
      </div>
      <CollectionList open={open} />
    </section>
  );
}

/** Saves what the editors hold, under the name of the operation or another. */
function SaveForm({
  id,
  field,
  attempt,
}: {
  readonly id: string;
  readonly field: React.RefObject<HTMLInputElement | null>;
  readonly attempt: (change: () => string) => Promise<boolean>;
}) {
  const { queryEditor, variableEditor, operationName } = useGraphiQL(
    pick('queryEditor', 'variableEditor', 'operationName'),
  );
  /** Null until the user types one. */
  const [typed, setTyped] = useState<string | null>(null);
  async function save(event: FormEvent): Promise<void> {
    event.preventDefault();
    const isSaved = await attempt(() => {
      const query = queryEditor?.getValue() ?? '';
      const variables = variableEditor?.getValue().trim() || null;
      const facts = describe(query);
      const name = (typed ?? facts.name ?? '').trim();
      if (name === '') throw new Error('Give the operation a name.');
      const { replaced } = addOperations([{ name, query, variables }]);
      return `Saved “${name}”${replaced.length === 0 ? '' : ' in place of the earlier one'}.`;
    });
    if (isSaved) setTyped(null);
  }
  return (
    <form onSubmit={(event) => void save(event)}>
      <label htmlFor={id}>Save the operation in the editor as</label>
      <input
        id={id}
        ref={field}
        maxLength={100}
        autoComplete="off"
        value={typed ?? operationName ?? ''}
        onChange={({ target }) => setTyped(target.value)}
      />
      <Button type="submit">Save</Button>
    </form>
  );
}

function describe(query: string) {
  try {
    return describeOperation(query);
  } catch (error) {
    throw new Error(`The document in the editor cannot be saved. ${errorText(error)}`);
  }
}

function ImportButton({ importFile }: { readonly importFile: (file: File) => Promise<boolean> }) {
  const input = useRef<HTMLInputElement>(null);
  return (
    <>
      <input
        ref={input}
        type="file"
        accept=".json,application/json"
        hidden
        onChange={({ target }) => {
          const [file] = target.files ?? [];
          if (file !== undefined) void importFile(file);
          // So that the same file can be chosen again.
          target.value = '';
        }}
      />
      <Button onClick={() => input.current?.click()}>Import</Button>
    </>
  );
}

const countOf = (count: number): string => (count === 1 ? '1 operation' : `${count} operations`);

function wordsOf({ added, replaced }: Added): string {
  if (added.length + replaced.length === 0) return 'You have all of its operations already.';
  const names = replaced.map((name) => `“${name}”`).join(', ');
  return `Added ${countOf(added.length)}${names === '' ? '' : `, and replaced ${names}`}.`;
}

function download(text: string): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(new Blob([text], { type: 'application/json' }));
  link.download = FILE_NAME;
  link.click();
  // The browser has begun to read it.
  setTimeout(() => URL.revokeObjectURL(link.href));
}

const SavedIcon = () => <LineIcon path="M6.5 4h11v16L12 15.5 6.5 20z" />;

/** The pane with saved operations. */
export const SAVED_PLUGIN: GraphiQLPlugin = {
  title: 'Saved operations',
  icon: SavedIcon,
  content: SavedPanel,
};
