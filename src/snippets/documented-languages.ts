// Lists the languages in the documentation of the snippet service.

/**
 * The languages that the service documents (specification: Snippet service). `language` is checked against them if the service's
 * own list is not available.
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
