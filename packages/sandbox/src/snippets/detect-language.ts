// Detects the language of a snippet.
import { LANGUAGES, PLAIN_TEXT } from './language-list.ts';

/** The first language that lists a whole file name or an extension. Only a whole name has a capital letter or a dot. */
const LANGUAGE_BY_NAME = new Map<string, string>();
const LANGUAGE_BY_EXTENSION = new Map<string, string>();
for (const { name, files } of LANGUAGES) {
  for (const file of files) {
    const map = /[A-Z.]/.test(file) ? LANGUAGE_BY_NAME : LANGUAGE_BY_EXTENSION;
    if (!map.has(file)) map.set(file, name);
  }
}

/** The languages of interpreters in a `#!` line whose name differs from that of the language. */
const INTERPRETERS: Readonly<Record<string, string>> = {
  sh: 'bash',
  ksh: 'bash',
  zsh: 'bash',
  dash: 'bash',
  node: 'js',
  tclsh: 'tcl',
  gawk: 'awk',
};

/** Patterns that match the start of a text or of one of its lines. The first match decides the language. */
const TEXT_PATTERNS: readonly (readonly [pattern: RegExp, language: string])[] = [
  [/^<\?php\b/, 'php'],
  [/^<\?xml\b/, 'xml'],
  [/^<!doctype html\b|^<html\b/i, 'html'],
  [/^(HTTP\/\d(\.\d)? \d{3}\b|[A-Z]+ \S+ HTTP\/\d)/, 'http'],
  [/^diff --git |^--- .*\n\+\+\+ /m, 'diff'],
  [/^Traceback \(most recent call last\):/m, 'pytb'],
  [/^>>> /, 'pycon'],
  [/^irb\(/, 'irb'],
  [/^(\$|[\w.-]+@[\w.-]+:\S*[$#]) /, 'console'],
  [/^\\documentclass\b/m, 'tex'],
  [/^package \w+\s*$/m, 'go'],
  [/^#include [<"]/m, 'c'],
  [/^(def|class) \w+.*:\s*$/m, 'python'],
  [/^(SELECT|INSERT INTO|UPDATE|CREATE TABLE)\s/i, 'sql'],
  [/^\[[\w .-]+\]\s*$/, 'ini'],
  [/^---\s*$/m, 'yaml'],
];

/** Detects the language from the file name, else from the text. Default: plain text. */
export function detectLanguage(fileName: string, text: string): string {
  return detectByFileName(fileName) ?? detectByText(text) ?? PLAIN_TEXT;
}

function detectByFileName(fileName: string): string | undefined {
  const base = fileName.slice(Math.max(fileName.lastIndexOf('/'), fileName.lastIndexOf('\\')) + 1);
  const dot = base.lastIndexOf('.');
  return (
    LANGUAGE_BY_NAME.get(base) ??
    (dot < 0 ? undefined : LANGUAGE_BY_EXTENSION.get(base.slice(dot + 1).toLowerCase()))
  );
}

function detectByText(text: string): string | undefined {
  const content = text.trimStart();
  const interpreter = /^#!\s*(?:\S*\/env\s+(?:-S\s+)?)?(?:\S*\/)?([a-z]+)/.exec(content)?.[1];
  if (interpreter !== undefined) {
    const language = INTERPRETERS[interpreter] ?? interpreter;
    if (LANGUAGES.some(({ name }) => name === language)) return language;
  }
  return TEXT_PATTERNS.find(([pattern]) => pattern.test(content))?.[1];
}
