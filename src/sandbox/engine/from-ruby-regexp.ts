/**
 * A described regular expression, which is Ruby's, as JavaScript's. Covers what descriptions use: anchors, `\h`, POSIX
 * classes, ASCII `\d \w \s`, and the flags i, m and x of a group; throws a SyntaxError for what it cannot carry over.
 */
export function fromRubyRegExp(source: string): RegExp {
  return new RegExp(new Translation(source).run(), 'u');
}

interface Flags {
  readonly ignoreCase: boolean;
  readonly dotAll: boolean;
}

const escapes: Readonly<Record<string, string>> = {
  A: '^',
  z: '$',
  Z: '(?=\\n?$)',
  h: '[0-9a-fA-F]',
  H: '[^0-9a-fA-F]',
  s: '[ \\t\\r\\n\\f\\v]',
  S: '[^ \\t\\r\\n\\f\\v]',
};

/** Ruby's lines end with a newline alone, and its anchors always mean lines. */
const lines: Readonly<Record<string, string>> = { '^': '(?<=^|\\n)', $: '(?=\\n|$)' };

const inClass: Readonly<Record<string, string>> = { h: '0-9a-fA-F', s: ' \\t\\r\\n\\f\\v' };

const posix: Readonly<Record<string, string>> = {
  alpha: '\\p{L}\\p{M}',
  digit: '\\p{Nd}',
  alnum: '\\p{L}\\p{M}\\p{Nd}',
  upper: '\\p{Lu}',
  lower: '\\p{Ll}',
  space: '\\s',
  punct: '\\p{P}\\p{S}',
  xdigit: '0-9a-fA-F',
  word: '\\p{L}\\p{M}\\p{Nd}_',
};

class Translation {
  readonly #source: string;
  #at = 0;
  #flags: Flags = { ignoreCase: false, dotAll: false };

  constructor(source: string) {
    this.#source = source;
  }

  run(): string {
    const outer: Flags[] = [];
    let out = '';
    while (this.#at < this.#source.length) {
      const group = this.#take(/\(\?([imx]*)(?:-([imx]*))?([:)])/y);
      if (group) {
        if (group[3] === ':') outer.push(this.#flags);
        this.#set(group[1] ?? '', group[2] ?? '');
        out += group[3] === ':' ? '(?:' : '';
      } else out += this.#atom(outer);
    }
    return out;
  }

  #atom(outer: Flags[]): string {
    const escaped = this.#take(/\\([\s\S])/y)?.[1];
    if (escaped !== undefined) return escapes[escaped] ?? literal(escaped);
    if (this.#take(/\[/y)) return this.#class();
    const char = this.#take(/[\s\S]/uy)?.[0] ?? '';
    if (char === '(') outer.push(this.#flags);
    else if (char === ')') this.#flags = outer.pop() ?? this.#flags;
    else if (char === '.') return this.#flags.dotAll ? '[\\s\\S]' : '[^\\n]';
    return lines[char] ?? this.#letter(char, (both) => `[${both}]`);
  }

  #class(): string {
    let out = this.#take(/\^/y) ? '[^' : '[';
    while (!this.#take(/\]/y)) {
      const named = this.#take(/\[:(\w+):\]/y)?.[1];
      const escaped = named === undefined ? this.#take(/\\([\s\S])/y)?.[1] : undefined;
      if (named !== undefined) out += posix[named] ?? '';
      else if (escaped !== undefined) out += inClass[escaped] ?? literal(escaped);
      else {
        const char = this.#take(/[^[&]/uy)?.[0];
        if (char === undefined) throw new SyntaxError(`expected a plain character class in ${this.#source}`);
        out += this.#letter(char, (both) => both);
      }
    }
    return `${out}]`;
  }

  #letter(char: string, both: (letters: string) => string): string {
    const [lower, upper] = [char.toLowerCase(), char.toUpperCase()];
    return this.#flags.ignoreCase && lower !== upper ? both(lower + upper) : char;
  }

  #set(on: string, off: string): void {
    this.#flags = {
      ignoreCase: on.includes('i') || (this.#flags.ignoreCase && !off.includes('i')),
      dotAll: on.includes('m') || (this.#flags.dotAll && !off.includes('m')),
    };
  }

  #take(pattern: RegExp): RegExpExecArray | null {
    pattern.lastIndex = this.#at;
    const match = pattern.exec(this.#source);
    if (match) this.#at = pattern.lastIndex;
    return match;
  }
}

/** JavaScript's flag u refuses to escape what needs no escape. */
function literal(char: string): string {
  if (/[a-zA-Z0-9^$\\.*+?()[\]{}|/-]/.test(char)) return char === '-' ? '\\x2d' : `\\${char}`;
  return char;
}
