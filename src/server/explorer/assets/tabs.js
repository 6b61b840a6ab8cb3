// GraphiQL's tabs: documents made from the schema of whoever opens the page, and what people typed.
(() => {
  const GRAPHIQL = 'graphiql:';
  const HANDED = 'optiongraph:examples';

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

  /** Puts examples in the place of those handed out before, as long as GraphiQL has not read its tabs; what was edited stays. */
  function placeTabs(examples) {
    const handed = JSON.parse(localStorage.getItem(HANDED) ?? '[]');
    const isKnown = handed.length === examples.length && examples.every((one, i) => isSame(one, handed[i]));
    if (isKnown) return;
    localStorage.setItem(HANDED, JSON.stringify(examples));
    const stored = JSON.parse(localStorage.getItem(`${GRAPHIQL}tabState`) ?? 'null');
    if (stored === null) return;
    const own = stored.tabs.filter((tab) => tab.query && !handed.some((example) => isSame(tab, example)));
    const tabs = [...own, ...examples.map(tabOf)];
    const at = own.indexOf(stored.tabs[stored.activeTabIndex]);
    const activeTabIndex = at >= 0 || examples.length === 0 ? Math.max(at, 0) : own.length;
    if (tabs.length === 0) localStorage.removeItem(`${GRAPHIQL}tabState`);
    else localStorage.setItem(`${GRAPHIQL}tabState`, JSON.stringify({ tabs, activeTabIndex }));
    const url = new URL(location.href);
    const asked = url.searchParams.get('query');
    const isExample = asked === null || handed.some(({ query }) => query === asked);
    if (at >= 0 || !isExample) return;
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
