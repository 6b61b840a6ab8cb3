// What a list shows of an operation.
import { MarkdownContent, UnStyledButton } from '@graphiql/react';
import type { ReactNode } from 'react';
import type { OperationFacts } from './describe-operation.ts';

/** A button that opens the operation, others beside it, and the description below. */
export function OperationLabel({
  title,
  facts,
  open,
  children,
}: {
  readonly title: string;
  /** Null for a document that cannot be read. */
  readonly facts: OperationFacts | null;
  readonly open: () => void;
  readonly children?: ReactNode;
}) {
  return (
    <>
      <div className="optiongraph-operation">
        <UnStyledButton onClick={open}>
          {title} {facts === null ? null : <span className="optiongraph-role">{facts.type}</span>}
        </UnStyledButton>
        {children}
      </div>
      {facts === null || facts.description === '' ? null : (
        <MarkdownContent type="description">{facts.description}</MarkdownContent>
      )}
    </>
  );
}
