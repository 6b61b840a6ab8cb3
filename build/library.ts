// Builds the library: the modules that src/index.ts reaches, one file with the packages compiled into it, and the types of the public names.
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { build } from 'esbuild';
import { runTypeScript, writeTypes } from './types.ts';

const ROOT = join(import.meta.dirname, '..');
const DIST = join(ROOT, 'dist');
/** What the library's modules import in place of packages that its users do not install. */
const PACKAGES = join(DIST, 'packages.js');

const { dependencies } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
  readonly dependencies: Readonly<Record<string, string>>;
};

/** A statement of tsc's output that imports from a package: `import first, { second as third } from 'name';`. */
const IMPORT = /^import (?:(\w+)(?:, )?)?(?:\{([^}]*)\}|\* as (\w+))? ?from '([^'.][^']*)';$/gm;

/** The end of a module that tsc has left nothing of. No other module imports it. */
const ONLY_TYPES = 'export {};\n';

/** Whether users get a package with the library, or Node has it. */
function isInstalled(specifier: string): boolean {
  const [name = ''] = /^(@[^/]+\/)?[^/]+/.exec(specifier) ?? [];
  return name.startsWith('node:') || name in dependencies;
}

/** Replaces each import of a package that is no dependency, and writes the file with what was imported. Removes modules without code. */
async function compilePackagesIn(): Promise<void> {
  /** Statements that export what the modules import, each once. */
  const statements = new Set<string>();
  /** Exports a name of a package under one that no other package has. */
  const exported = (name: string, specifier: string): string => {
    const unique = `${specifier.replace(/\W+/g, '_')}_${name === '*' ? 'all' : name}`;
    statements.add(
      `export ${name === '*' ? `* as ${unique}` : `{ ${name} as ${unique} }`} from '${specifier}';`,
    );
    return unique;
  };
  for (const file of readdirSync(DIST, { recursive: true, encoding: 'utf8' })) {
    if (!file.endsWith('.js')) continue;
    const path = join(DIST, file);
    const source = readFileSync(path, 'utf8');
    if (source.endsWith(ONLY_TYPES)) {
      rmSync(path);
      continue;
    }
    const packages = `./${relative(dirname(path), PACKAGES)}`.replace('./..', '..');
    const changed = source.replace(IMPORT, (statement, first, named = '', all, specifier) => {
      if (isInstalled(specifier)) return statement;
      const names = [
        ...(first === undefined ? [] : [['default', first]]),
        ...(all === undefined ? [] : [['*', all]]),
        ...[...named.matchAll(/(\w+)(?: as (\w+))?/g)].map(([, name, local = name]) => [name, local]),
      ];
      const bindings = names.map(([name, local]) => `${exported(name, specifier)} as ${local}`);
      return `import { ${bindings.join(', ')} } from '${packages}';`;
    });
    if (changed !== source) writeFileSync(path, changed);
  }
  await build({
    stdin: { contents: [...statements].sort().join('\n'), resolveDir: ROOT },
    outfile: PACKAGES,
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    mainFields: ['module', 'main'],
    external: Object.keys(dependencies),
    legalComments: 'eof',
    // Packages that are CommonJS modules require the modules of node.
    banner: {
      js: "import { createRequire as createPackagesRequire } from 'node:module'; const require = createPackagesRequire(import.meta.url);",
    },
  });
}

/** Builds the library in an empty dist. */
export async function buildLibrary(): Promise<void> {
  await runTypeScript('-p', 'build');
  await Promise.all([compilePackagesIn(), writeTypes('.cache/types/library/index.d.ts', 'dist/index.d.ts')]);
}
