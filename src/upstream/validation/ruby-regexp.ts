// Translates Ruby regular expressions into JavaScript.
import { matchWithin } from './bounded-match.ts';
import { foldedCharacter, foldedRun } from './ruby-case-folding.ts';
import { translateClass } from './ruby-character-class.ts';
import { readSetEscape, setSource, wordBoundary } from './ruby-character-sets.ts';
import { Cursor, inexpressible, literal, readCharacterEscape, readOctal } from './ruby-regexp-cursor.ts';

/** The longest regular expression that is translated, in UTF-16 units. */
const MAX_LENGTH = 10_000;

/**
 * Translates a Ruby regular expression (Onigmo, over UTF-8) to one that accepts the same texts; null for what
 * JavaScript cannot express, or what is no valid Ruby. Never throws.
 */
export function translateRubyRegexp(source: string): RegExp | null {
  if (source.length > MAX_LENGTH || !source.isWellFormed()) return null;
  try {
    const translation = new Translation(source, false);
    let translated = translation.run();
    // With named groups in it, an expression's plain groups capture nothing.
    if (translation.named) translated = new Translation(source, true).run();
    // V8 also begins to match in the middle of a surrogate pair: so the way to the first match is spelled out.
    const expression = new RegExp(/^\^[^|]*$/.test(translated) ? translated : `^[^]*?(?:${translated})`, 'u');
    // An expression that is too large fails only when it is compiled, at its first use.
    return matchWithin(expression, '') === null ? null : expression;
  } catch {
    return null;
  }
}

/** One piece of a sequence. */
interface Atom {
  readonly source: string;
  /** The code of a single character. */
  readonly character?: number;
  /** JavaScript repeats no assertions. */
  readonly assertion?: boolean;
}

const assertion = (source: string): Atom => ({ source, assertion: true });

/** `(?i)` and its like, until the end of the enclosing group. */
interface Options {
  readonly ignoreCase: boolean;
  readonly dotAll: boolean;
  readonly extended: boolean;
}

class Translation {
  /** Whether a named group was met. */
  named = false;
  readonly #cursor: Cursor;
  readonly #plainGroupsCapture: boolean;
  #options: Options = { ignoreCase: false, dotAll: false, extended: false };
  #groups = 0;
  #lookbehinds = 0;
  readonly #names = new Map<string, number>();
  /** Groups that have matched wherever the place is reached: only those can be referred to alike in both languages. */
  #matched: ReadonlySet<number> = new Set();

  constructor(source: string, hasNames: boolean) {
    this.#cursor = new Cursor(source);
    this.#plainGroupsCapture = !hasNames;
  }

  run(): string {
    const source = this.#alternation();
    return this.#cursor.atEnd ? source : inexpressible('an unmatched parenthesis');
  }

  #alternation(): string {
    const { matched, options } = { matched: this.#matched, options: this.#options };
    const branches = [this.#sequence()];
    while (this.#cursor.eat('|')) {
      this.#matched = matched;
      branches.push(this.#sequence());
    }
    if (branches.length > 1) this.#matched = matched;
    this.#options = options;
    return branches.join('|');
  }

  #sequence(): string {
    let source = '';
    let run: number[] = [];
    for (;;) {
      this.#skipIgnored();
      if (this.#cursor.atEnd || /[|)]/.test(this.#cursor.peek())) break;
      const matched = this.#matched;
      const atom = this.#atom();
      const quantified = this.#quantified(atom, matched);
      if (this.#options.ignoreCase && atom.character !== undefined && quantified === atom.source) {
        run.push(atom.character);
      } else {
        source += foldedRun(run) + quantified;
        run = [];
      }
    }
    return source + foldedRun(run);
  }

  /** Steps over comments, and over white space under (?x). */
  #skipIgnored(): void {
    const cursor = this.#cursor;
    for (;;) {
      if (cursor.eat('(?#')) {
        for (let next = ''; next !== ')'; ) {
          next = cursor.next();
          if (next === '\\') cursor.next();
        }
      } else if (this.#options.extended && cursor.peek() === '#') {
        while (!cursor.atEnd && cursor.peek() !== '\n') cursor.next();
      } else if (!this.#options.extended || !/^[ \t\n\v\f\r]$/.test(cursor.peek())) {
        return;
      } else {
        cursor.next();
      }
    }
  }

  /** Adds the quantifiers that follow an atom. `matched`: the groups that had matched before it. */
  #quantified(atom: Atom, matched: ReadonlySet<number>): string {
    let source = atom.source;
    for (let count = 0; ; count++) {
      this.#skipIgnored();
      const match = this.#cursor.take(/[*+?]|\{(?:(\d+)(,(\d*))?|,(\d+))\}/y);
      if (match === null) return source;
      const [text, from = '0', comma, to = match[4] ?? ''] = match;
      const isInterval = text.startsWith('{');
      if (isInterval) this.#checkInterval(atom, Number(from), to === '' ? Number(from) : Number(to));
      const isExact = isInterval && comma === undefined && match[4] === undefined;
      // {n}? is an optional {n}: the question mark is the next quantifier.
      const isLazy = !isExact && this.#cursor.eat('?');
      if (!isInterval && !isLazy && this.#cursor.peek() === '+') inexpressible('a possessive quantifier');
      if (text === '*' || text === '?' || (isInterval && Number(from) === 0)) this.#matched = matched;
      const quantifier = isInterval && match[4] !== undefined ? `{0,${to}}` : text;
      source = (count > 0 || atom.assertion ? `(?:${source})` : source) + quantifier + (isLazy ? '?' : '');
    }
  }

  #checkInterval({ character }: Atom, from: number, to: number): void {
    if (to < from || to > 100_000) inexpressible('such an interval');
    // Ruby takes a repeated letter for a ligature.
    if (this.#options.ignoreCase && from > 1 && /^[sf]$/i.test(String.fromCodePoint(character ?? 0))) {
      inexpressible('a repeated letter with cases ignored');
    }
  }

  #atom(): Atom {
    const character = this.#cursor.next();
    switch (character) {
      case '(':
        return this.#group();
      case '[':
        return { source: translateClass(this.#cursor, this.#options.ignoreCase) };
      case '.':
        return { source: this.#options.dotAll ? '[^]' : String.raw`[^\n]` };
      case '^':
        // Not after the last line's end.
        return assertion(String.raw`(?:^|(?<=\n)(?!$))`);
      case '$':
        return assertion(String.raw`(?=\n|$)`);
      case '\\':
        return this.#escape();
      case '*':
      case '+':
      case '?':
        return inexpressible('a quantifier of nothing');
      default:
        return this.#character(character.codePointAt(0) ?? 0);
    }
  }

  #character(code: number): Atom {
    return { source: this.#options.ignoreCase ? foldedCharacter(code) : literal(code), character: code };
  }

  #escape(): Atom {
    const cursor = this.#cursor;
    if (cursor.eat('A')) return assertion('^');
    if (cursor.eat('z')) return assertion('$');
    if (cursor.eat('Z')) return assertion(String.raw`(?=\n?$)`);
    if (cursor.eat('b')) return assertion(wordBoundary(false));
    if (cursor.eat('B')) return assertion(wordBoundary(true));
    if (cursor.eat('R')) {
      return { source: String.raw`(?:\r\n|(?!\r\n)[\n-\r\u{85}\u{2028}\u{2029}])` };
    }
    if (/[GgKX]/.test(cursor.peek())) inexpressible('a place to start from, a call or a grapheme');
    if (/[1-9]/.test(cursor.peek())) return this.#reference(Number(cursor.take(/\d+/y)?.[0]));
    if (cursor.eat('k')) return this.#namedReference();
    if (cursor.peek() === '0') return this.#character(readOctal(cursor));
    const set = readSetEscape(cursor, this.#options.ignoreCase);
    if (set !== null) return { source: setSource(set) };
    return this.#character(readCharacterEscape(cursor) ?? cursor.next().codePointAt(0) ?? 0);
  }

  /** A group that has not matched fails in Ruby and is empty in JavaScript. */
  #reference(group: number): Atom {
    if (!this.#matched.has(group) || this.#lookbehinds > 0 || this.#options.ignoreCase) {
      inexpressible('such a reference');
    }
    return { source: `(?:\\${group})` };
  }

  #namedReference(): Atom {
    const match = this.#cursor.take(/<(\w+)>|'(\w+)'/y);
    const name = match?.[1] ?? match?.[2] ?? inexpressible('such a reference');
    if (!/^\d+$/.test(name)) return this.#reference(this.#names.get(name) ?? 0);
    return this.#plainGroupsCapture ? this.#reference(Number(name)) : inexpressible('such a reference');
  }

  #group(): Atom {
    const cursor = this.#cursor;
    if (cursor.eat('?:')) return { source: `(?:${this.#inside()})` };
    if (cursor.eat('?=')) return assertion(`(?=${this.#inside()})`);
    const matched = this.#matched;
    if (cursor.eat('?!')) return this.#negated(`(?!${this.#inside()})`, matched);
    if (cursor.eat('?<=')) return assertion(`(?<=${this.#behind()})`);
    if (cursor.eat('?<!')) return this.#negated(`(?<!${this.#behind()})`, matched);
    const name = cursor.take(/\?(?:<([A-Za-z_]\w*)>|'([A-Za-z_]\w*)')/y);
    if (name !== null) return this.#capture(name[1] ?? name[2] ?? '');
    const options = cursor.take(/\?([imx]*)(?:-([imx]*))?([:)])/y);
    if (options !== null) return this.#optioned(options[1] ?? '', options[2] ?? '', options[3] === ')');
    if (cursor.peek() === '?') inexpressible('such a group');
    return this.#plainGroupsCapture ? this.#capture(null) : { source: `(?:${this.#inside()})` };
  }

  /** The alternation up to the closing parenthesis. */
  #inside(): string {
    const source = this.#alternation();
    return this.#cursor.eat(')') ? source : inexpressible('an early end');
  }

  #behind(): string {
    this.#lookbehinds++;
    const source = this.#inside();
    this.#lookbehinds--;
    return source;
  }

  #negated(source: string, matched: ReadonlySet<number>): Atom {
    this.#matched = matched;
    return assertion(source);
  }

  #capture(name: string | null): Atom {
    const group = ++this.#groups;
    if (name !== null) {
      this.named = true;
      // Of several groups of one name, Ruby refers to any that has matched.
      this.#names.set(name, this.#names.has(name) ? 0 : group);
    }
    const source = this.#inside();
    this.#matched = new Set(this.#matched).add(group);
    return { source: `(${source})` };
  }

  #optioned(on: string, off: string, isolated: boolean): Atom {
    const before = this.#options;
    const option = (letter: string, now: boolean) => (on.includes(letter) || now) && !off.includes(letter);
    this.#options = {
      ignoreCase: option('i', before.ignoreCase),
      dotAll: option('m', before.dotAll),
      extended: option('x', before.extended),
    };
    // Without a group of its own, an option encloses all that follows in the group around it.
    const source = isolated ? this.#alternation() : this.#inside();
    this.#options = before;
    return { source: `(?:${source})` };
  }
}
