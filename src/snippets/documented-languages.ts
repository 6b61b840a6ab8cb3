/**
 * The languages that the service's document lists: what `language` is checked against while the service does not tell its
 * own (spec: Snippet service).
 */
export const DOCUMENTED_LANGUAGES: ReadonlySet<string> = new Set(
  [
    'as as3 ada apacheconf autodetect awk bash console bat bbcode brainfuck c csharp aspx-cs cpp cmake',
    'cobol coffeescript lisp css cuda d delphi diff dtd elixir erlang erl fsharp fortran glsl gnuplot go',
    'haml haskell html http ini java js lighttpd lua make md matlab mysql nginx nix obj-c perl perl6 php',
    'plpgsql text postgres psql postscript powershell prolog puppet python python3 py3tb pycon pytb qml',
    'spec ruby irb scala scaml scheme smalltalk sql sqlite tcl tex ts vala verilog vbnet aspx-vb xml yaml',
  ].flatMap((line) => line.split(' ')),
);
