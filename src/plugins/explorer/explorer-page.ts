// Renders the page of the explorer, which loads its scripts and styles from files beside it.
import type { PageFiles } from './page-files.ts';
import type { PanelConfig } from './panel-config.ts';

/** Renders the page. @param folder Address of the files, relative to the page. */
export function renderExplorer({ scripts, styles }: PageFiles, folder: string, config: PanelConfig): string {
  // No other character can end the script element.
  const json = JSON.stringify(config).replaceAll('<', '\\u003c');
  const [entry, ...others] = scripts;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>Optiongraph</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="icon" href="data:,">
${styles.map((name) => `<link rel="stylesheet" href="${folder}/${name}">`).join('\n')}
${others.map((name) => `<link rel="modulepreload" href="${folder}/${name}">`).join('\n')}
<script type="application/json" id="optiongraph-config">${json}</script>
<script type="module" src="${folder}/${entry}"></script>
</head>
<body>
<noscript>The explorer needs JavaScript.</noscript>
<main id="root"></main>
</body>
</html>
`;
}

/** The page of a package without the explorer's files. */
export const NOT_BUILT = `<!doctype html>
<html lang="en">
<title>Optiongraph</title>
<p>The files of the explorer are missing; GraphQL itself works. In a clone, run <code>npm run build</code>, and start the server again. In a
program of your own, leave the package <code>optiongraph</code> out of its bundle.</p>
</html>
`;

/** Allows the scripts and styles of this server, and nothing else that could run code, send data elsewhere or frame the page. */
export const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  // The editor makes style elements and attributes.
  "style-src 'self' 'unsafe-inline'",
  "worker-src 'self'",
  'img-src data:',
  "font-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');
