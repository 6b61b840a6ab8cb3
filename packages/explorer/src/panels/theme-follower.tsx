// Changes the editor's colors when the system changes between light and dark.
import { useGraphiQL, useGraphiQLActions } from '@graphiql/react';
import { useEffect } from 'react';

/** GraphiQL reads the system's theme only once; its own setting takes precedence. */
export function ThemeFollower(): null {
  const theme = useGraphiQL((state) => state.theme);
  const { setTheme } = useGraphiQLActions();
  useEffect(() => {
    if (theme !== null) return undefined;
    const system = matchMedia('(prefers-color-scheme: dark)');
    const follow = (): void => setTheme(null);
    system.addEventListener('change', follow);
    return () => system.removeEventListener('change', follow);
  }, [theme, setTheme]);
  return null;
}
