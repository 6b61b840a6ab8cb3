// Keeps what the explorer must remember as long as its browser tab: plain JavaScript for the page.
(() => {
  const CREDENTIAL = 'optiongraph:credential';

  /** A text that was kept; null for none. */
  function keptText(name) {
    try {
      return sessionStorage.getItem(name);
    } catch {
      return null;
    }
  }

  /** Keeps a text; null removes it. */
  function keepText(name, text) {
    try {
      if (text === null) sessionStorage.removeItem(name);
      else sessionStorage.setItem(name, text);
    } catch {
      // A browser that keeps nothing forgets it with the page.
    }
  }

  /** The credential that was kept; null for none, or for a header that the API does not name. */
  function keptCredential(headerNames) {
    try {
      const { name, value, isIssued } = JSON.parse(keptText(CREDENTIAL));
      return headerNames.includes(name) ? { name, value, isIssued } : null;
    } catch {
      return null;
    }
  }

  /** Keeps a credential; null forgets it. */
  const keepCredential = (credential) => keepText(CREDENTIAL, credential && JSON.stringify(credential));

  window.optiongraph = { ...window.optiongraph, keptText, keepText, keptCredential, keepCredential };
})();
