// GraphiQL's tabs: documents made from the schema of whoever opens the page, and what people typed.
(() => {
  const GRAPHIQL = 'graphiql:';
  const HANDED = 'optiongraph:examples';
  /** Examples remembered, of all callers and versions that a browser was. */
  const MOST_HANDED = 100;

  const isSame = (a, b) => a.query === b.query && (a.variables ?? '') === (b.variables ?? '');

  function tabOf({ query, variables, headers }, index) {
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

  /** What was kept under a name; null for nothing, and for what is damaged. */
  function kept(name, isGood) {
    try {
      const value = JSON.parse(localStorage.getItem(name));
      return isGood(value) ? value : null;
    } catch {
      return null;
    }
  }

  /** Puts examples in the place of all handed out before, as long as GraphiQL has not read its tabs; what was edited stays. */
  function placeTabs(examples) {
    const handed = kept(HANDED, Array.isArray) ?? [];
    const stored = kept(`${GRAPHIQL}tabState`, (value) => Array.isArray(value?.tabs));
    const others = handed.filter((one) => !examples.some((example) => isSame(one, example)));
    localStorage.setItem(HANDED, JSON.stringify([...examples, ...others].slice(0, MOST_HANDED)));
    if (stored === null) return localStorage.removeItem(`${GRAPHIQL}tabState`);
    const untouched = stored.tabs.filter((tab) => handed.some((example) => isSame(tab, example)));
    const isThere =
      untouched.every((tab) => examples.some((example) => isSame(tab, example))) &&
      examples.every((example) => handed.some((one) => isSame(one, example)));
    const own = stored.tabs.filter((tab) => tab.query && !untouched.includes(tab));
    const tabs = isThere ? stored.tabs.filter((tab) => tab.query) : [...own, ...examples.map(tabOf)];
    const at = tabs.indexOf(stored.tabs[stored.activeTabIndex]);
    const activeTabIndex = at >= 0 ? at : Math.min(isThere ? 0 : own.length, Math.max(tabs.length - 1, 0));
    if (tabs.length === 0) localStorage.removeItem(`${GRAPHIQL}tabState`);
    else localStorage.setItem(`${GRAPHIQL}tabState`, JSON.stringify({ ...stored, tabs, activeTabIndex }));
    const url = new URL(location.href);
    const asked = url.searchParams.get('query');
    const isExample = asked === null || handed.some(({ query }) => query === asked);
    if (!isExample) return;
    beginWith(tabs[activeTabIndex]);
    url.searchParams.delete('query');
    history.replaceState({}, '', url);
  }

  /** Has GraphiQL begin with a tab, and not with what was open last. */
  function beginWith(tab) {
    for (const name of ['query', 'variables', 'headers']) {
      if (tab?.[name]) localStorage.setItem(GRAPHIQL + name, tab[name]);
      else localStorage.removeItem(GRAPHIQL + name);
    }
  }

  window.optiongraph = { ...window.optiongraph, placeTabs };
})();
