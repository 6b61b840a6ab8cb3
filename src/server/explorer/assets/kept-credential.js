// Keeps the credential of the explorer's sign-in panel as long as the tab: plain JavaScript for the page.
(() => {
  const STORE = 'optiongraph:credential';

  /** What was kept; null for nothing, or for a header that the API does not name. */
  function keptCredential(headerNames) {
    try {
      const { name, value, isIssued } = JSON.parse(sessionStorage.getItem(STORE));
      return headerNames.includes(name) ? { name, value, isIssued } : null;
    } catch {
      return null;
    }
  }

  /** Keeps a credential; null forgets it. */
  function keepCredential(credential) {
    try {
      if (credential === null) sessionStorage.removeItem(STORE);
      else sessionStorage.setItem(STORE, JSON.stringify(credential));
    } catch {
      // A browser that keeps nothing forgets it with the page.
    }
  }

  window.optiongraph = { ...window.optiongraph, keptCredential, keepCredential };
})();
