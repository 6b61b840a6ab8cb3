// A dialog with a title, which gives the focus back to the button that has opened it.
import { Dialog, VisuallyHidden } from '@graphiql/react';
import { type ReactNode, type RefObject, useEffect } from 'react';

/** Shows the contents while it is open. */
export function TitledDialog({
  title,
  description,
  isOpen,
  onOpenChange,
  opener,
  children,
}: {
  readonly title: string;
  /** For screen readers. */
  readonly description: string;
  readonly isOpen: boolean;
  readonly onOpenChange: (isOpen: boolean) => void;
  readonly opener: RefObject<HTMLButtonElement | null>;
  readonly children: ReactNode;
}) {
  useEffect(() => {
    if (!isOpen) return undefined;
    return () => opener.current?.focus();
  }, [isOpen, opener]);
  return (
    <Dialog open={isOpen} onOpenChange={onOpenChange}>
      <div className="graphiql-dialog-header">
        <Dialog.Title className="graphiql-dialog-title">{title}</Dialog.Title>
        <VisuallyHidden>
          <Dialog.Description>{description}</Dialog.Description>
        </VisuallyHidden>
        <Dialog.Close />
      </div>
      <div className="optiongraph-dialog">{children}</div>
    </Dialog>
  );
}
