// Lets people leave an editor by the keyboard: within it, the tab key indents.

/** Escape leads out of an editor that Enter has led into. For those who have clicked into it, Escape does what it does in any editor. */
export function leaveEditorsByEscape(): void {
  let entered: HTMLElement | null = null;
  // The editor keeps a key for itself that closes something, such as its suggestions.
  document.addEventListener('keydown', ({ key, target }) => {
    if (!(target instanceof HTMLElement)) return;
    if (key === 'Enter' && target.matches('.graphiql-editor')) entered = target;
    if (key === 'Escape' && entered?.contains(target)) entered.focus();
  });
  document.addEventListener('pointerdown', () => {
    entered = null;
  });
}
