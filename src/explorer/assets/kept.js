// Stores the state of the explorer in the session storage of the browser tab. Plain JavaScript for the page.
(() => {
  const CREDENTIAL = 'optiongraph:credential';

  /** Reads a stored text; null for none. */
  function readText(name) {
    try {
      return sessionStorage.getItem(name);
    } catch {
      return null;
    }
  }

  /** Stores a text; null removes it. */
  function storeText(name, text) {
    try {
      if (text === null) sessionStorage.removeItem(name);
      else sessionStorage.setItem(name, text);
    } catch {
      // Without storage, the text is lost when the page is closed or loaded again.
    }
  }

  /** Reads the stored credential; null for none, or for a header that the API does not use. */
  function readCredential(headerNames) {
    try {
      const { name, value, isIssued } = JSON.parse(readText(CREDENTIAL));
      return headerNames.includes(name) ? { name, value, isIssued } : null;
    } catch {
      return null;
    }
  }

  /** Stores a credential; null removes it. */
  const storeCredential = (credential) => storeText(CREDENTIAL, credential && JSON.stringify(credential));

  window.optiongraph = { ...window.optiongraph, readText, storeText, readCredential, storeCredential };
})();
