// The documentation of GraphiQL, with buttons that add fields to the query.
import {
  DOC_EXPLORER_PLUGIN,
  type DocExplorerNavStackItem,
  useDocExplorer,
} from '@graphiql/plugin-doc-explorer';
import { DocsIcon, type GraphiQLPlugin, pick, useGraphiQL, useOperationsEditorState } from '@graphiql/react';
import { type GraphQLSchema, isObjectType } from 'graphql';
import { addField, type DocumentedField, selectedFields } from '../operations/add-field.ts';
import { applyEdit } from '../operations/text-edit.ts';

const { content: DocExplorer } = DOC_EXPLORER_PLUGIN;

function Documentation() {
  return (
    <div className="optiongraph-documentation">
      <DocExplorer />
      <FieldAdder />
    </div>
  );
}

/** A button for each field of the type that is shown, or for the field that is shown. */
function FieldAdder() {
  const stack = useDocExplorer();
  const { schema, queryEditor } = useGraphiQL(pick('schema', 'queryEditor'));
  const [text] = useOperationsEditorState();
  if (!schema || queryEditor === undefined) return null;
  const shown = fieldsOf(schema, stack.at(-1)?.def);
  const [first] = shown;
  if (first === undefined) return null;
  const selected = selectedFields(schema, text, first.type);
  const cursor = (): number => {
    const position = queryEditor.getPosition();
    return position === null ? 0 : (queryEditor.getModel()?.getOffsetAt(position) ?? 0);
  };
  const editFor = (one: DocumentedField) => addField(schema, queryEditor.getValue(), one, cursor());
  const isPossible = addField(schema, text, first, 0) !== null;
  return (
    <section aria-label="Add to the query" className="optiongraph-add">
      <h3>Add to the query</h3>
      {isPossible ? (
        <ul>
          {shown.map((one) => (
            <li key={one.field.name}>
              <button
                type="button"
                aria-pressed={selected.has(one.field.name)}
                onClick={() => {
                  const edit = selected.has(one.field.name) ? null : editFor(one);
                  if (edit !== null) applyEdit(queryEditor, edit);
                }}
              >
                <span aria-hidden="true">{selected.has(one.field.name) ? '✓ ' : '+ '}</span>
                {one.field.name}
              </button>
            </li>
          ))}
        </ul>
      ) : (
        <p>The query has no field that leads to {first.type.name}, or is not complete.</p>
      )}
    </section>
  );
}

/** The fields that the documentation shows: those of a type, or one, whose type is looked for, because a search leads to it directly. */
function fieldsOf(schema: GraphQLSchema, shown: DocExplorerNavStackItem['def']): readonly DocumentedField[] {
  if (isObjectType(shown)) return Object.values(shown.getFields()).map((field) => ({ type: shown, field }));
  return Object.values(schema.getTypeMap())
    .filter(isObjectType)
    .flatMap((type) => {
      const field = shown === undefined ? undefined : type.getFields()[shown.name];
      return field !== undefined && field === shown ? [{ type, field }] : [];
    });
}

/** The pane with the documentation. */
export const DOCUMENTATION_PLUGIN: GraphiQLPlugin = {
  title: DOC_EXPLORER_PLUGIN.title,
  icon: DocsIcon,
  content: Documentation,
};
