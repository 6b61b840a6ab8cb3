// Lists general verbs and nouns that mean the same, with which people ask for what a schema names otherwise. No API's own words.

/** Words of a question that say nothing about its subject. */
export const STOP_WORDS: ReadonlySet<string> = new Set(
  'a an the my me i we our it its is are was were be do does did to of in on at for from by with and or all any this that there have has had now can could please how which what who when where much many want need would like'.split(
    ' ',
  ),
);

/** Groups of words with one meaning, in their basic form. A word may be in several. */
export const SYNONYMS: readonly (readonly string[])[] = [
  'create add new make register store insert take order',
  'delete remove destroy erase drop revoke',
  'restart reboot',
  'start boot launch',
  'stop shutdown halt',
  'update change set edit modify reset',
  'restore rollback revert recover',
  'migrate move transfer relocate',
  'clone copy duplicate',
  'password passwd passphrase',
  'login session signin',
  'backup snapshot',
  'server machine instance vm',
  'disk storage space',
  'left free available avail remaining',
  'used usage consumption',
  'quota limit allowance',
  'vulnerability advisory cve security',
  'public ssh',
  'progress state status',
  'action operation task job process',
  'account user customer member',
  'payment invoice bill money',
  'traffic bandwidth transfer',
  'outage incident downtime failure',
  'log history event audit',
  'address ip',
  'name hostname label',
  'domain zone',
  'message mail notification email',
  'location region datacenter',
  'kill terminate',
].map((group) => group.split(' '));

/** Phrases that are one word of the groups. */
export const PHRASES: readonly (readonly [RegExp, string])[] = [
  [/\blog(?:s|ged|ging)?[ -](?:in|on)\b/g, 'login'],
  [/\bsign(?:s|ed|ing)?[ -](?:in|on)\b/g, 'login'],
  [/\bout[ -]of[ -]memory\b/g, 'oom'],
  [/\bshut(?:s|ting)?[ -]down\b/g, 'shutdown'],
  [/\broll(?:s|ed|ing)?[ -]back\b/g, 'rollback'],
  [/\bturn(?:s|ed|ing)? off\b/g, 'stop'],
  [/\bturn(?:s|ed|ing)? on\b/g, 'start'],
  [/\bget rid of\b/g, 'delete'],
];

/** Verbs of questions that ask for a change. */
export const WRITE_VERBS: ReadonlySet<string> = new Set(
  'create add make register store insert take order delete remove destroy erase drop revoke restart reboot start boot launch stop shutdown halt update change set edit modify reset restore rollback revert recover migrate move clone copy duplicate kill enable disable assign attach detach mount cancel send pay rename replace install reinstall resize grow'.split(
    ' ',
  ),
);
