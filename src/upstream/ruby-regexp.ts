/** POSIX bracket expressions, inside a class; as Ruby reads them for text in Unicode. */
const POSIX: Readonly<Record<string, string>> = {
  alpha: '\\p{L}\\p{M}',
  digit: '\\p{Nd}',
  alnum: '\\p{L}\\p{M}\\p{Nd}',
  upper: '\\p{Lu}',
  lower: '\\p{Ll}',
  space: '\\s\\x85',
  blank: ' \\t',
  cntrl: '\\x00-\\x1f\\x7f',
  punct: '\\p{P}$+<=>^`|~',
  xdigit: '0-9A-Fa-f',
  word: '\\p{L}\\p{M}\\p{Nd}\\p{Pc}',
  print: '\\x20-\\x7e\\xa0-\\u{10ffff}',
  graph: '\\x21-\\x7e\\xa1-\\u{10ffff}',
  ascii: '\\x00-\\x7f',
};

/** Escapes that mean something else in Ruby, outside a class and inside one. */
const CLASSES: Readonly<Record<string, string>> = {
  d: '0-9',
  w: 'A-Za-z0-9_',
  s: ' \\t\\r\\n\\f\\v',
  h: '0-9A-Fa-f',
};

/** What JavaScript has no word for: what to say of it. */
const UNSUPPORTED = /^(?:\\[GKRXk]|\\g|\(\?(?:>|\(|~|&))/;

/** Escaped characters that JavaScript's flag `u` takes as they are. */
const SYNTAX = /[\^$\\.*+?()[\]{}|/]/;

/**
 * Translates a Ruby regular expression. Null where JavaScript cannot say the same: atomic and possessive parts, recursion,
 * conditionals, `\G`, `\K`, free spacing; then the check is the server's.
 */
export function translateRubyRegexp(source: string): RegExp | null {
  try {
    const translator = new Translator(source);
    const pattern = translator.run();
    return pattern === null ? null : new RegExp(pattern, translator.flags);
  } catch {
    return null;
  }
}

class Translator {
  readonly #source: string;
  #at = 0;
  #out = '';
  #ignoresCase = false;
  #isAllDotAll = false;

  constructor(source: string) {
    this.#source = source;
  }

  /** `^` and `$` are anchors of lines in Ruby, which is JavaScript's flag `m`. */
  get flags(): string {
    return `um${this.#ignoresCase ? 'i' : ''}${this.#isAllDotAll ? 's' : ''}`;
  }

  run(): string | null {
    while (this.#at < this.#source.length) {
      const rest = this.#source.slice(this.#at);
      if (UNSUPPORTED.test(rest) || /^(?:[*+?]|\{\d*,?\d*\})\+/.test(rest)) return null;
      const isRead = this.#options(rest) ?? this.#piece(rest);
      if (!isRead) return null;
    }
    return this.#out;
  }

  #take(length: number, text: string): true {
    this.#at += length;
    this.#out += text;
    return true;
  }

  /** Groups that switch options: `(?i)`, `(?m:…)`, `(?-mix:…)`. Undefined when it is none. */
  #options(rest: string): boolean | undefined {
    const [whole, on = '', off = '', end] = /^\(\?([mix]*)(?:-([mix]*))?([:)])/.exec(rest) ?? [];
    if (whole === undefined || whole === '(?:') return undefined;
    if (on.includes('x')) return false;
    if (on === '') return end === ':' ? this.#take(whole.length, '(?:') : false;
    if (off !== '') return false;
    // JavaScript of this age has these options for the whole expression only; at its start they come to the same.
    const isWholeRest = end === ')' && /^(?:\\A|\^)?$/.test(this.#out.replace(START, '\\A'));
    const scope = end === ':' ? this.#scopeEnd(this.#at + whole.length) : null;
    const isDotAlone = scope !== null && on === 'm';
    if (isDotAlone) return this.#dotAllGroup(whole.length, scope);
    if (!isWholeRest) return false;
    if (on.includes('i')) this.#ignoresCase = true;
    if (on.includes('m')) this.#isAllDotAll = true;
    return this.#take(whole.length, '');
  }

  /** `(?m:…)`: a dot in it stands for every character, line ends too. */
  #dotAllGroup(length: number, end: number): boolean {
    const inner = new Translator(this.#source.slice(this.#at + length, end));
    inner.#isAllDotAll = false;
    inner.#dot = '[\\s\\S]';
    const pattern = inner.run();
    if (pattern === null || inner.#ignoresCase || inner.#isAllDotAll) return false;
    this.#at = end + 1;
    this.#out += `(?:${pattern})`;
    return true;
  }

  #dot = '.';

  /** Index of the bracket that closes the group whose inside starts at an index; null when there is none. */
  #scopeEnd(start: number): number | null {
    let depth = 1;
    let inClass = false;
    for (let at = start; at < this.#source.length; at++) {
      const char = this.#source[at];
      if (char === '\\') at++;
      else if (inClass) inClass = char !== ']';
      else if (char === '[') inClass = true;
      else if (char === '(') depth++;
      else if (char === ')' && --depth === 0) return at;
    }
    return null;
  }

  #piece(rest: string): boolean {
    if (rest.startsWith('(?#')) {
      const end = rest.indexOf(')');
      return end === -1 ? false : this.#take(end + 1, '');
    }
    const [group] = /^\((?:\?(?::|=|!|<=|<!|<[A-Za-z_]\w*>))?/.exec(rest) ?? [];
    if (group !== undefined) return this.#take(group.length, group);
    if (rest.startsWith('[')) return this.#class(rest);
    if (rest.startsWith('\\')) return this.#escape(rest, false);
    if (rest.startsWith('.')) return this.#take(1, this.#dot);
    const [quantifier] = /^(?:[*+?]|\{\d+(?:,\d*)?\}|\{,\d+\})\??/.exec(rest) ?? [];
    if (quantifier !== undefined) return this.#take(quantifier.length, quantifier.replace('{,', '{0,'));
    if (rest.startsWith(')')) return this.#take(1, ')');
    const char = String.fromCodePoint(rest.codePointAt(0) ?? 0);
    return this.#take(char.length, /[{}\]]/.test(char) ? `\\${char}` : char);
  }

  #escape(rest: string, inClass: boolean): boolean {
    const char = rest[1];
    if (char === undefined) return false;
    const set = CLASSES[char.toLowerCase()];
    if (set !== undefined) {
      const isNegated = char !== char.toLowerCase();
      if (inClass) return isNegated ? false : this.#take(2, set);
      return this.#take(2, `[${isNegated ? '^' : ''}${set}]`);
    }
    if (!inClass) {
      if (char === 'A') return this.#take(2, START);
      if (char === 'z') return this.#take(2, '(?![\\s\\S])');
      if (char === 'Z') return this.#take(2, '(?=\\n?(?![\\s\\S]))');
      if (char === 'b' || char === 'B') return this.#take(2, `\\${char}`);
      if (/[1-9]/.test(char)) return this.#take(2, `\\${char}`);
    }
    const [unicode] = /^\\[pP]\{\^?\w+\}/.exec(rest) ?? [];
    if (unicode !== undefined) return this.#take(unicode.length, propertyOf(unicode));
    const [code] = /^\\(?:u[0-9A-Fa-f]{4}|u\{[0-9A-Fa-f]+\}|x[0-9A-Fa-f]{2})/.exec(rest) ?? [];
    if (code !== undefined) return this.#take(code.length, code);
    if (/[nrtfv0]/.test(char)) return this.#take(2, `\\${char}`);
    if (char === 'a') return this.#take(2, '\\x07');
    if (char === 'e') return this.#take(2, '\\x1b');
    if (/[A-Za-z0-9]/.test(char)) return false;
    const plain = SYNTAX.test(char) || (inClass && char === '-') ? `\\${char}` : char;
    return this.#take(2, plain);
  }

  /** A class in brackets; nested classes and intersections are not expressible without the flag `v`. */
  #class(rest: string): boolean {
    const [open = '['] = /^\[\^?\]?/.exec(rest) ?? [];
    this.#take(open.length, open.endsWith(']') ? `${open.slice(0, -1)}\\]` : open);
    for (;;) {
      const inside = this.#source.slice(this.#at);
      if (inside === '' || inside.startsWith('&&')) return false;
      if (inside.startsWith(']')) return this.#take(1, ']');
      const [posix, name = ''] = /^\[:(\w+):\]/.exec(inside) ?? [];
      if (posix !== undefined) {
        const set = POSIX[name];
        if (set === undefined) return false;
        this.#take(posix.length, set);
      } else if (inside.startsWith('[')) return false;
      else if (inside.startsWith('\\')) {
        if (!this.#escape(inside, true)) return false;
      } else {
        const char = String.fromCodePoint(inside.codePointAt(0) ?? 0);
        this.#take(char.length, /[{}()|/$.*+?]/.test(char) ? `\\${char}` : char);
      }
    }
  }
}

/** The start of the text, whatever the flags. */
const START = '(?<![\\s\\S])';

function propertyOf(text: string): string {
  const [, kind, negated, name = ''] = /^\\([pP])\{(\^?)(\w+)\}/.exec(text) ?? [];
  const letter = (kind === 'P') !== (negated === '^') ? 'P' : 'p';
  const known: Readonly<Record<string, string>> = {
    alpha: 'Alphabetic',
    upper: 'Uppercase',
    lower: 'Lowercase',
    space: 'White_Space',
    digit: 'Nd',
  };
  return `\\${letter}{${known[name.toLowerCase()] ?? name}}`;
}
