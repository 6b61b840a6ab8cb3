import { languages, plainText } from './language-list.ts';

/** Languages by whole file names, which hold a capital or a dot, and by extensions. First come, first served. */
const byName = new Map<string, string>();
const byExtension = new Map<string, string>();
for (const { name, files } of languages) {
  for (const file of files) {
    const map = /[A-Z.]/.test(file) ? byName : byExtension;
    if (!map.has(file)) map.set(file, name);
  }
}

/** Interpreters of a `#!` line whose names are not their language's. */
const interpreters: Readonly<Record<string, string>> = {
  sh: 'bash',
  ksh: 'bash',
  zsh: 'bash',
  dash: 'bash',
  node: 'js',
  tclsh: 'tcl',
  gawk: 'awk',
};

/** What texts of a language begin with, or hold at the start of a line; the first that matches decides. */
const marks: readonly (readonly [pattern: RegExp, language: string])[] = [
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

/** Guesses a language by the file's name or, where that tells nothing, by the text; plain text where neither does. */
export function detectLanguage(fileName: string, text: string): string {
  return detectByName(fileName) ?? detectByText(text) ?? plainText;
}

function detectByName(fileName: string): string | undefined {
  const base = fileName.slice(Math.max(fileName.lastIndexOf('/'), fileName.lastIndexOf('\\')) + 1);
  const dot = base.lastIndexOf('.');
  return byName.get(base) ?? (dot < 0 ? undefined : byExtension.get(base.slice(dot + 1).toLowerCase()));
}

function detectByText(text: string): string | undefined {
  const start = text.trimStart();
  const interpreter = /^#!\s*(?:\S*\/env\s+(?:-S\s+)?)?(?:\S*\/)?([a-z]+)/.exec(start)?.[1];
  if (interpreter !== undefined) {
    const language = interpreters[interpreter] ?? interpreter;
    if (languages.some(({ name }) => name === language)) return language;
  }
  return marks.find(([pattern]) => pattern.test(start))?.[1];
}
