// The pane that says which API this is, who is asking, and what can be asked.
import { useDocExplorerActions } from '@graphiql/plugin-doc-explorer';
import {
  Button,
  type GraphiQLPlugin,
  MarkdownContent,
  useGraphiQL,
  useGraphiQLActions,
} from '@graphiql/react';
import type { GraphQLField, GraphQLObjectType } from 'graphql';
import { apiTitle } from '../config.ts';
import { openAccount, session, useSession } from '../session/session.ts';
import { DOCUMENTATION_PLUGIN } from './documentation.tsx';
import { LineIcon } from './line-icon.tsx';

/** Fields that the server adds to each schema. */
const OWN_FIELDS = ['node', 'nodes', 'session'];

function AboutPanel() {
  const isSignedOut = useSession(({ state }) => state.kind === 'signed-out');
  const schema = useGraphiQL((all) => all.schema);
  const hasPrefilled = Object.keys(session.defaultHeaders).length > 0;
  const isAnonymous = isSignedOut && !hasPrefilled;
  return (
    <section aria-label="About this API" className="optiongraph-about">
      <h2 className="graphiql-doc-explorer-title">{apiTitle}</h2>
      <p>A GraphQL API over a management API, made from the description that the API gives of itself.</p>
      {isSignedOut ? (
        <>
          <p>
            {isAnonymous
              ? 'You are not signed in: you see only what the API offers to everybody.'
              : 'The header editor holds a credential, which your operations use until you sign in.'}
          </p>
          <Button onClick={() => openAccount(true)}>Sign in to see more</Button>
        </>
      ) : null}
      {schema === null || schema === undefined ? (
        <p>The schema is being fetched.</p>
      ) : (
        <>
          <FieldList
            title={isAnonymous ? 'What you can ask without signing in' : 'What you can ask'}
            type={schema.getQueryType()}
          />
          <FieldList title="What you can change" type={schema.getMutationType()} />
          <FieldList title="What you can follow" type={schema.getSubscriptionType()} />
        </>
      )}
    </section>
  );
}

function FieldList({
  title,
  type,
}: {
  readonly title: string;
  readonly type: GraphQLObjectType | null | undefined;
}) {
  const showDocumentation = useShowDocumentation();
  if (type === null || type === undefined) return null;
  const fields = Object.values(type.getFields()).filter(({ name }) => !OWN_FIELDS.includes(name));
  if (fields.length === 0) return null;
  return (
    <details open={fields.length <= 30}>
      <summary>
        {title} ({fields.length})
      </summary>
      <ul>
        {fields.map((field) => (
          <li key={field.name}>
            <button type="button" className="optiongraph-link" onClick={() => showDocumentation(type, field)}>
              {field.name}
            </button>
            <MarkdownContent type="description">{firstParagraph(field.description)}</MarkdownContent>
          </li>
        ))}
      </ul>
    </details>
  );
}

/** Makes a function that shows the documentation of a field, with the way back to its type, and gives it the focus. */
function useShowDocumentation(): (type: GraphQLObjectType, field: GraphQLField<unknown, unknown>) => void {
  const { reset, push } = useDocExplorerActions();
  const { setVisiblePlugin } = useGraphiQLActions();
  return (type, field) => {
    reset();
    push({ name: type.name, def: type });
    push({ name: field.name, def: field });
    setVisiblePlugin(DOCUMENTATION_PLUGIN);
    requestAnimationFrame(() => document.querySelector<HTMLElement>('.graphiql-doc-explorer-back')?.focus());
  };
}

const firstParagraph = (text: string | null | undefined): string => (text ?? '').split(/\n\s*\n/, 1)[0] ?? '';

const AboutIcon = () => <LineIcon path="M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18M12 11v5.5M12 7.5v.5" />;

/** The pane that introduces the API. */
export const ABOUT_PLUGIN: GraphiQLPlugin = { title: 'About this API', icon: AboutIcon, content: AboutPanel };
