// Manages GraphiQL's tabs: the example documents for the user, and the documents that the user has edited. Plain JavaScript for the
// page.
(() => {
  const GRAPHIQL = 'graphiql:';
  const EXAMPLES = 'optiongraph:examples';
  /** Examples remembered, of all users and API versions in this browser. */
  const MAX_EXAMPLES = 100;

  const isSame = (a, b) => a.query === b.query && (a.variables ?? '') === (b.variables ?? '');

  function createTab({ query, variables, headers }, index) {
    const name = /^(?:query|mutation|subscription) (\w+)/.exec(query)?.[1] ?? null;
    const id = `example-${Date.now()}-${index}`;
    return {
      id,
      title: name ?? '<untitled>',
      query,
      variables,
      headers,
      operationName: name,
      response: null,
    };
  }

  /** Reads a stored JSON value; null when it is absent or invalid. */
  function readStored(name, isValid) {
    try {
      const value = JSON.parse(localStorage.getItem(name));
      return isValid(value) ? value : null;
    } catch {
      return null;
    }
  }

  /** Replaces earlier examples in the stored tabs, before GraphiQL reads them. Tabs that the user has edited stay. */
  function placeTabs(examples) {
    const earlier = readStored(EXAMPLES, Array.isArray) ?? [];
    const stored = readStored(`${GRAPHIQL}tabState`, (value) => Array.isArray(value?.tabs));
    const others = earlier.filter((one) => !examples.some((example) => isSame(one, example)));
    localStorage.setItem(EXAMPLES, JSON.stringify([...examples, ...others].slice(0, MAX_EXAMPLES)));
    if (stored === null) return localStorage.removeItem(`${GRAPHIQL}tabState`);
    const untouched = stored.tabs.filter((tab) => earlier.some((example) => isSame(tab, example)));
    const isUpToDate =
      untouched.every((tab) => examples.some((example) => isSame(tab, example))) &&
      examples.every((example) => earlier.some((one) => isSame(one, example)));
    const edited = stored.tabs.filter((tab) => tab.query && !untouched.includes(tab));
    const tabs = isUpToDate
      ? stored.tabs.filter((tab) => tab.query)
      : [...edited, ...examples.map(createTab)];
    const at = tabs.indexOf(stored.tabs[stored.activeTabIndex]);
    const activeTabIndex =
      at >= 0 ? at : Math.min(isUpToDate ? 0 : edited.length, Math.max(tabs.length - 1, 0));
    if (tabs.length === 0) localStorage.removeItem(`${GRAPHIQL}tabState`);
    else localStorage.setItem(`${GRAPHIQL}tabState`, JSON.stringify({ ...stored, tabs, activeTabIndex }));
    const url = new URL(location.href);
    const linkedQuery = url.searchParams.get('query');
    const isExample = linkedQuery === null || earlier.some(({ query }) => query === linkedQuery);
    if (!isExample) return;
    openFirst(tabs[activeTabIndex]);
    url.searchParams.delete('query');
    history.replaceState({}, '', url);
  }

  /** Makes GraphiQL open a tab instead of the last document. */
  function openFirst(tab) {
    for (const name of ['query', 'variables', 'headers']) {
      if (tab?.[name]) localStorage.setItem(GRAPHIQL + name, tab[name]);
      else localStorage.removeItem(GRAPHIQL + name);
    }
  }

  window.optiongraph = { ...window.optiongraph, placeTabs };
})();
