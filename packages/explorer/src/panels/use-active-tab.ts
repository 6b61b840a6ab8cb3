// Finds out which tab is shown.
import { useGraphiQL } from '@graphiql/react';

/** The id of the tab that is shown. */
export const useActiveTab = (): string | undefined =>
  useGraphiQL(({ tabs, activeTabIndex }) => tabs[activeTabIndex]?.id);
