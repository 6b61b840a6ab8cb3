// Prints a configuration file to begin with: all settings with their meanings and defaults.
import { plain, type Setting } from './setting.ts';

const HEAD = `# yaml-language-server: $schema=node_modules/optiongraph/config.schema.json
# The settings of \`optiongraph serve\`, with their defaults. To set one, remove the # before it and before its group.
# upstream.url has no default; put the address of your API there.
`;

/** The setting that every file needs, with an example. All others are comments. */
const NEEDED = { key: 'upstream.url', value: 'https://api.example.org/' };

/** Columns after which a comment continues on the next line. */
const WIDTH = 110;

/** Prints settings as YAML. Explanations begin with a # and a space, settings and groups that are left out with a # alone. */
export function printTemplate(settings: readonly Setting[]): string {
  const lines: string[] = [];
  let open: readonly string[] = [];
  for (const { key, help, isSecret, default: fallback } of settings) {
    const groups = key.split('.');
    const name = groups.pop() ?? key;
    groups.forEach((group, depth) => {
      const path = groups.slice(0, depth + 1).join('.');
      if (open.slice(0, depth + 1).join('.') === path) return;
      const mark = NEEDED.key.startsWith(`${path}.`) ? '' : '#';
      lines.push(...(depth === 0 ? [''] : []), `${indent(depth)}${mark}${group}:`);
    });
    // After a group, a setting outside of it needs a space between.
    if (groups.length === 0 && open.length > 0) lines.push('');
    open = groups;
    const space = indent(groups.length);
    const fromFile = isSecret === true ? '. { file: NAME } names a file that holds it' : '';
    lines.push(...comment(`${plain(help)}${fromFile}`, space));
    const isNeeded = key === NEEDED.key;
    lines.push(
      `${space}${isNeeded ? '' : '#'}${name}: ${isNeeded ? NEEDED.value : JSON.stringify(fallback)}`,
    );
  }
  return `${HEAD}${lines[0] === '' ? '' : '\n'}${lines.join('\n')}\n`;
}

const indent = (depth: number): string => '  '.repeat(depth);

function comment(text: string, space: string): readonly string[] {
  const lines: string[] = [];
  let line = `${space}#`;
  for (const word of text.split(' ')) {
    if (line.length + 1 + word.length > WIDTH) {
      lines.push(line);
      line = `${space}#`;
    }
    line += ` ${word}`;
  }
  return [...lines, line];
}
