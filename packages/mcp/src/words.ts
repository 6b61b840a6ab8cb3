// Reads the words of questions and schemas. Knows general verbs and nouns that mean the same, and no API's own words.

/** Words that say nothing about the subject of a question. */
const STOP_WORDS =
  /^(a|an|the|my|me|i|we|our|it|its|is|am|are|was|were|be|do|does|did|to|of|in|on|at|for|from|by|with|and|or|all|any|this|that|there|have|has|had|now|can|could|please|many|much|want|need|would|like|over|which|what|who|when|where|why|how)$/;
/** The first words of questions that ask for no change. */
const ASKING = /^(which|what|who|when|where|why|how|is|are|do|does|has|have|list|show|find|get|see|read)\b/i;

/** Groups of words with one meaning. `log in` is one word here; of words joined by `_`, the initials count. */
const SYNONYMS = `create add new make take register insert order open issue generate setup, clone copy duplicate,
delete remove destroy erase drop revoke forget, end close finish terminate, restart reboot, release free detach unassign,
start boot launch run enable poweron turnon switchon, stop shutdown halt cancel abort kill disable poweroff turnoff switchoff,
update change set edit modify reset rename resize give switch, assign attach give add associate, share export publish,
restore rollback revert recover roll, migrate move transfer relocate, install deploy reinstall, backup snapshot,
password passwd passphrase, login session signin, current whoami, key public ssh, factor mfa otp totp webauthn passkey,
server machine instance virtual_private_server virtual_machine, node host hypervisor, disk storage space, memory ram,
left free available avail remaining, used usage consumption, quota limit allowance, vulnerability advisory cve security,
progress state status, action operation task job process transaction, account user customer member, domain zone,
payment invoice bill money, traffic bandwidth transfer, outage incident downtime failure, log history event audit change,
address ip, name hostname label, message mail notification email, location region datacenter,
image template distribution operating_system`;

/** Returns a word without the ending of its plural, participle or gerund. */
export function stem(word: string): string {
  if (word.length < 4) return word;
  const singular = word.replace(/ies$/, 'y').replace(/([^su])s$/, '$1');
  const base = singular.replace(/(..[^aeiou])(ing|ed)$/, '$1').replace(/([bdgmnpt])\1$/, '$1');
  return base.replace(/e$/, '');
}

/** Splits texts and camel case into words in lower case. */
export function wordsOf(text: string): string[] {
  const parted = text.replace(/([a-z\d])([A-Z])/g, '$1 $2');
  return parted.toLowerCase().match(/[\p{L}\d]+/gu) ?? [];
}

const initialsOf = (words: readonly string[]): string => words.map(([first]) => first).join('');

const synonyms = new Map<string, string[]>();
for (const line of SYNONYMS.split(/,\s/)) {
  const group = line
    .split(' ')
    .map((word) => (word.includes('_') ? initialsOf(word.split('_')) : stem(word)));
  for (const word of group) synonyms.set(word, [...(synonyms.get(word) ?? []), ...group]);
}

/** Reads the words of a question. Two or three in a row may also be one word, such as `log in`, or be known by their initials. */
export function readQuestion(question: string) {
  const all = wordsOf(question);
  const words = all.map((own, index) => {
    const rows = [2, 3].map((count) => all.slice(index, index + count));
    const joined = rows.map((row) => row.map(stem).join(''));
    const isPart = joined.some((one) => synonyms.has(one));
    const word = isPart || STOP_WORDS.test(own) ? '' : stem(own);
    const meant = [word, ...joined].flatMap((one) => synonyms.get(one) ?? []);
    return { word, others: [...meant, ...joined, ...rows.map(initialsOf)] };
  });
  return { words, isAsking: ASKING.test(question) };
}
