// Builds the library: the modules that src/index.ts reaches, one file with the packages compiled into it, and the types of the public names.
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { build, type Metafile } from 'esbuild';
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

/** What tsc leaves of a module that has only types. No other module imports it. */
const isEmpty = (source: string): boolean =>
  source.replace(/\/\/.*|\/\*[\s\S]*?\*\//g, '').trim() === 'export {};';

/**
 * Packages of which users get the types only. What they and other compiled packages import of graphql is the library's own copy, which a
 * user may have in another version.
 */
const TYPES_ONLY = ['@pothos/core'];

/** Whether users get the code of a package with the library, or Node has it. */
function isInstalled(specifier: string): boolean {
  const [name = ''] = /^(@[^/]+\/)?[^/]+/.exec(specifier) ?? [];
  return name.startsWith('node:') || (name in dependencies && !TYPES_ONLY.includes(name));
}

/** Collects what the modules import of packages that are compiled in. */
class CompiledPackages {
  /** Statements that export it, each once. */
  readonly #exports = new Set<string>();

  /** The source of the file with the packages, before they are bundled. */
  get source(): string {
    return [...this.#exports].sort().join('\n');
  }

  /** Returns a module that imports them from the file at an address. */
  redirect(source: string, address: string): string {
    return source.replace(IMPORT, (statement, first, named = '', all, specifier) => {
      if (isInstalled(specifier)) return statement;
      const bindings = [
        ...(first === undefined ? [] : [['default', first]]),
        ...(all === undefined ? [] : [['*', all]]),
        ...[...named.matchAll(/(\w+)(?: as (\w+))?/g)].map(([, name, local = name]) => [name, local]),
      ].map(([name, local]) => `${this.#export(name, specifier)} as ${local}`);
      return `import { ${bindings.join(', ')} } from '${address}';`;
    });
  }

  /** Exports a name of a package (`*`: all of them) under one that no other package has, which it returns. */
  #export(name: string, specifier: string): string {
    const unique = `${specifier.replace(/\W+/g, '_')}_${name === '*' ? 'all' : name}`;
    const exported = name === '*' ? `* as ${unique}` : `{ ${name} as ${unique} }`;
    this.#exports.add(`export ${exported} from '${specifier}';`);
    return unique;
  }
}

/** Lets the modules import from one file what is no dependency, and writes that file. Removes modules without code. */
async function compilePackagesIn(): Promise<Metafile> {
  const packages = new CompiledPackages();
  for (const file of readdirSync(DIST, { recursive: true, encoding: 'utf8' })) {
    if (!file.endsWith('.js')) continue;
    const path = join(DIST, file);
    const source = readFileSync(path, 'utf8');
    const address = relative(dirname(path), PACKAGES);
    if (isEmpty(source)) rmSync(path);
    else writeFileSync(path, packages.redirect(source, address.startsWith('.') ? address : `./${address}`));
  }
  const { metafile } = await build({
    stdin: { contents: packages.source, resolveDir: ROOT },
    outfile: PACKAGES,
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    mainFields: ['module', 'main'],
    external: Object.keys(dependencies).filter(isInstalled),
    legalComments: 'none',
    // Nobody reads the code of others here, and it is a sixth of the package.
    minifyWhitespace: true,
    metafile: true,
    // Packages that are CommonJS modules require the modules of node.
    banner: {
      js: "import { createRequire as createPackagesRequire } from 'node:module'; const require = createPackagesRequire(import.meta.url);",
    },
  });
  return metafile;
}

/** Builds the library in an empty dist. Resolves with what packages are compiled in. */
export async function buildLibrary(): Promise<Metafile> {
  await runTypeScript('-p', 'build');
  const types = writeTypes('.cache/types/library/index.d.ts', 'dist/index.d.ts');
  const [metafile] = await Promise.all([compilePackagesIn(), types]);
  return metafile;
}
