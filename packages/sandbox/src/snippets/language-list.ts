// Lists the languages of the snippet service.

/** A language of the service. */
export interface Language {
  /** The value of `language`. */
  readonly name: string;
  /** The name for people. */
  readonly label: string;
  /** File extensions, and the whole names of files without one. The first language that lists a file applies. */
  readonly files: readonly string[];
}

/** The default language of snippets. */
export const PLAIN_TEXT = 'text';
/** The value of `language` that makes the service detect the language. */
export const AUTODETECT = 'autodetect';

/** Every language, in the order of the specification (Snippet service). */
export const LANGUAGES: readonly Language[] = (
  [
    ['as', 'ActionScript', 'as'],
    ['as3', 'ActionScript 3', ''],
    ['ada', 'Ada', 'ada adb ads'],
    ['apacheconf', 'Apache configuration', '.htaccess apache2.conf httpd.conf'],
    ['autodetect', 'Detected automatically', ''],
    ['awk', 'AWK', 'awk'],
    ['bash', 'Bash', 'bash sh ksh zsh'],
    ['console', 'Bash session', 'sh-session'],
    ['bat', 'Windows batch file', 'bat cmd'],
    ['bbcode', 'BBCode', 'bbcode'],
    ['brainfuck', 'Brainfuck', 'bf b'],
    ['c', 'C', 'c h'],
    ['csharp', 'C#', 'cs'],
    ['aspx-cs', 'ASP.NET with C#', 'aspx ascx'],
    ['cpp', 'C++', 'cpp cc cxx hpp hh hxx'],
    ['cmake', 'CMake', 'cmake CMakeLists.txt'],
    ['cobol', 'COBOL', 'cob cbl cpy'],
    ['coffeescript', 'CoffeeScript', 'coffee'],
    ['lisp', 'Common Lisp', 'lisp cl el'],
    ['css', 'CSS', 'css'],
    ['cuda', 'CUDA', 'cu cuh'],
    ['d', 'D', 'd di'],
    ['delphi', 'Delphi', 'pas dpr'],
    ['diff', 'Diff', 'diff patch'],
    ['dtd', 'DTD', 'dtd'],
    ['elixir', 'Elixir', 'ex exs'],
    ['erlang', 'Erlang', 'erl hrl'],
    ['erl', 'Erlang shell', 'erl-sh'],
    ['fsharp', 'F#', 'fs fsi fsx'],
    ['fortran', 'Fortran', 'f f90 f95 f03'],
    ['glsl', 'GLSL', 'glsl vert frag geo'],
    ['gnuplot', 'gnuplot', 'plot plt gnuplot'],
    ['go', 'Go', 'go'],
    ['haml', 'Haml', 'haml'],
    ['haskell', 'Haskell', 'hs'],
    ['html', 'HTML', 'html htm xhtml'],
    ['http', 'HTTP message', ''],
    ['ini', 'INI file', 'ini cfg conf desktop service'],
    ['java', 'Java', 'java'],
    ['js', 'JavaScript', 'js mjs cjs jsx'],
    ['lighttpd', 'Lighttpd configuration', 'lighttpd.conf'],
    ['lua', 'Lua', 'lua'],
    ['make', 'Makefile', 'mk mak Makefile GNUmakefile'],
    ['md', 'Markdown', 'md markdown'],
    ['matlab', 'MATLAB', ''],
    ['mysql', 'MySQL', ''],
    ['nginx', 'nginx configuration', 'nginx.conf'],
    ['nix', 'Nix', 'nix'],
    ['obj-c', 'Objective-C', 'm mm'],
    ['perl', 'Perl', 'pl pm t'],
    ['perl6', 'Perl 6', 'p6 pm6 raku'],
    ['php', 'PHP', 'php php3 php5 inc'],
    ['plpgsql', 'PL/pgSQL', 'plpgsql'],
    ['text', 'Plain text', 'txt log'],
    ['postgres', 'PostgreSQL', 'pgsql'],
    ['psql', 'PostgreSQL console', ''],
    ['postscript', 'PostScript', 'ps eps'],
    ['powershell', 'PowerShell', 'ps1 psm1'],
    ['prolog', 'Prolog', 'pro prolog'],
    ['puppet', 'Puppet', 'pp'],
    ['python', 'Python', 'py pyw wsgi'],
    ['python3', 'Python 3', 'py3'],
    ['py3tb', 'Python 3 traceback', 'py3tb'],
    ['pycon', 'Python console', 'pycon'],
    ['pytb', 'Python traceback', 'pytb'],
    ['qml', 'QML', 'qml'],
    ['spec', 'RPM spec file', 'spec'],
    ['ruby', 'Ruby', 'rb rake gemspec ru Rakefile Gemfile'],
    ['irb', 'Ruby console', 'irb'],
    ['scala', 'Scala', 'scala sc'],
    ['scaml', 'Scaml', 'scaml'],
    ['scheme', 'Scheme', 'scm ss'],
    ['smalltalk', 'Smalltalk', 'st'],
    ['sql', 'SQL', 'sql'],
    ['sqlite', 'SQLite console', 'sqlite3-console'],
    ['tcl', 'Tcl', 'tcl'],
    ['tex', 'TeX and LaTeX', 'tex sty aux toc'],
    ['ts', 'TypeScript', 'ts mts cts tsx'],
    ['vala', 'Vala', 'vala vapi'],
    ['verilog', 'Verilog', 'v'],
    ['vbnet', 'Visual Basic .NET', 'vb bas'],
    ['aspx-vb', 'ASP.NET with Visual Basic', ''],
    ['xml', 'XML', 'xml xsd xsl xslt svg rss wsdl'],
    ['yaml', 'YAML', 'yaml yml'],
  ] as const
).map(([name, label, files]) => ({ name, label, files: files.split(' ').filter((file) => file !== '') }));

const NAMES: ReadonlySet<string> = new Set(LANGUAGES.map(({ name }) => name));

/** Whether a value of `language` is valid. */
export function isLanguage(name: string): boolean {
  return NAMES.has(name);
}
