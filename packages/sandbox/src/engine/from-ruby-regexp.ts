// Translates the Ruby regular expressions of `format` validators to JavaScript.

/**
 * Translates a Ruby regular expression to JavaScript. Supports the syntax that descriptions use: anchors, `\h`, POSIX
 * classes, ASCII `\d \w \s`, and the flags i, m and x of a group.
 * @throws SyntaxError when the expression uses other syntax.
 */
export function fromRubyRegExp(source: string): RegExp {
  return new RegExp(new Translator(source).translate(), 'u');
}

interface Flags {
  readonly ignoreCase: boolean;
  readonly dotAll: boolean;
}

const ESCAPES: Readonly<Record<string, string>> = {
  A: '^',
  z: '$',
  Z: '(?=\\n?$)',
  h: '[0-9a-fA-F]',
  H: '[^0-9a-fA-F]',
  s: '[ \\t\\r\\n\\f\\v]',
  S: '[^ \\t\\r\\n\\f\\v]',
};

/** In Ruby, `^` and `$` always match at lines, and only a newline ends a line. */
const LINE_ANCHORS: Readonly<Record<string, string>> = { '^': '(?<=^|\\n)', $: '(?=\\n|$)' };

const CLASS_ESCAPES: Readonly<Record<string, string>> = { h: '0-9a-fA-F', s: ' \\t\\r\\n\\f\\v' };

const POSIX_CLASSES: Readonly<Record<string, string>> = {
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

class Translator {
  readonly #source: string;
  #position = 0;
  #flags: Flags = { ignoreCase: false, dotAll: false };

  constructor(source: string) {
    this.#source = source;
  }

  translate(): string {
    const outerFlags: Flags[] = [];
    let out = '';
    while (this.#position < this.#source.length) {
      const group = this.#take(/\(\?([imx]*)(?:-([imx]*))?([:)])/y);
      if (group) {
        if (group[3] === ':') outerFlags.push(this.#flags);
        this.#setFlags(group[1] ?? '', group[2] ?? '');
        out += group[3] === ':' ? '(?:' : '';
      } else out += this.#translateAtom(outerFlags);
    }
    return out;
  }

  #translateAtom(outerFlags: Flags[]): string {
    const escaped = this.#take(/\\([\s\S])/y)?.[1];
    if (escaped !== undefined) return ESCAPES[escaped] ?? escapeLiteral(escaped);
    if (this.#take(/\[/y)) return this.#translateClass();
    const char = this.#take(/[\s\S]/uy)?.[0] ?? '';
    if (char === '(') outerFlags.push(this.#flags);
    else if (char === ')') this.#flags = outerFlags.pop() ?? this.#flags;
    else if (char === '.') return this.#flags.dotAll ? '[\\s\\S]' : '[^\\n]';
    return LINE_ANCHORS[char] ?? this.#translateLetter(char, (letters) => `[${letters}]`);
  }

  #translateClass(): string {
    let out = this.#take(/\^/y) ? '[^' : '[';
    while (!this.#take(/\]/y)) {
      const named = this.#take(/\[:(\w+):\]/y)?.[1];
      const escaped = named === undefined ? this.#take(/\\([\s\S])/y)?.[1] : undefined;
      if (named !== undefined) out += POSIX_CLASSES[named] ?? '';
      else if (escaped !== undefined) out += CLASS_ESCAPES[escaped] ?? escapeLiteral(escaped);
      else {
        const char = this.#take(/[^[&]/uy)?.[0];
        if (char === undefined) throw new SyntaxError(`expected a plain character class in ${this.#source}`);
        out += this.#translateLetter(char, (letters) => letters);
      }
    }
    return `${out}]`;
  }

  #translateLetter(char: string, matchBothCases: (letters: string) => string): string {
    const [lower, upper] = [char.toLowerCase(), char.toUpperCase()];
    return this.#flags.ignoreCase && lower !== upper ? matchBothCases(lower + upper) : char;
  }

  #setFlags(on: string, off: string): void {
    this.#flags = {
      ignoreCase: on.includes('i') || (this.#flags.ignoreCase && !off.includes('i')),
      dotAll: on.includes('m') || (this.#flags.dotAll && !off.includes('m')),
    };
  }

  #take(pattern: RegExp): RegExpExecArray | null {
    pattern.lastIndex = this.#position;
    const match = pattern.exec(this.#source);
    if (match) this.#position = pattern.lastIndex;
    return match;
  }
}

/** With the flag `u`, JavaScript rejects an escape of a character that needs none. */
function escapeLiteral(char: string): string {
  if (/[a-zA-Z0-9^$\\.*+?()[\]{}|/-]/.test(char)) return char === '-' ? '\\x2d' : `\\${char}`;
  return char;
}
