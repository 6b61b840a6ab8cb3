// The script of the site: the search, and where the reader is in the contents.
import MiniSearch from 'minisearch';
import { countOf } from '../html/prose.ts';
import type { EntryKind, SearchEntry } from '../search/search-entry.ts';

declare global {
  /** Set by the script with the entries. */
  var searchEntries: readonly SearchEntry[] | undefined;
}

const SHOWN = 30;

/** Fields are many, and most of them have the name of what they lead to. */
const WEIGHTS: Readonly<Record<EntryKind, number>> = {
  resource: 4,
  query: 3,
  mutation: 3,
  guide: 2,
  type: 2,
  enum: 2,
  field: 1,
};

const element = <T extends HTMLElement>(id: string): T => document.getElementById(id) as T;
const dialog = element<HTMLDialogElement>('search');
const text = element<HTMLInputElement>('search-text');
const status = element('search-status');
const results = element('search-results');
const opener = element('open-search');

let index: Promise<MiniSearch> | undefined;

/** Loads the entries when they are first needed. */
function loadIndex(): Promise<MiniSearch> {
  return new Promise((resolve, reject) => {
    const script = document.createElement('script');
    script.src = 'search-entries.js';
    script.onload = () => resolve(createIndex(globalThis.searchEntries ?? []));
    script.onerror = () => reject(new Error('search-entries.js cannot be loaded'));
    document.head.append(script);
  });
}

function createIndex(entries: readonly SearchEntry[]): MiniSearch {
  const created = new MiniSearch({
    fields: ['title', 'text'],
    storeFields: ['entry'],
    // Words of names such as `shelfBook` and `shelf.book` are found each.
    tokenize: (value) => value.split(/[^\p{L}\p{N}]+|(?<=\p{Ll})(?=\p{Lu})/u),
    searchOptions: {
      boost: { title: 4 },
      prefix: true,
      fuzzy: (term) => (term.length > 3 ? 0.2 : false),
      combineWith: 'AND',
      boostDocument: (id) => WEIGHTS[entries[id]?.[1] ?? 'field'],
    },
  });
  created.addAll(entries.map((entry, id) => ({ id, title: entry[0], text: entry[3], entry })));
  return created;
}

async function search(): Promise<void> {
  const wanted = text.value;
  if (wanted.trim() === '') return show([], '');
  index ??= loadIndex();
  try {
    const found = (await index).search(wanted);
    // The reader may have typed on.
    if (wanted !== text.value) return;
    const more = found.length > SHOWN ? `, of which the first ${SHOWN} are shown` : '';
    show(
      found.slice(0, SHOWN).map((one) => one['entry'] as SearchEntry),
      `${countOf(found.length, 'result')}${more}`,
    );
  } catch (error) {
    index = undefined;
    show([], `The search does not work: ${error instanceof Error ? error.message : error}`);
  }
}

function show(entries: readonly SearchEntry[], message: string): void {
  status.textContent = message;
  results.replaceChildren(...entries.map(createResult));
}

function createResult([title, kind, address, about]: SearchEntry): HTMLElement {
  const item = document.createElement('li');
  const link = document.createElement('a');
  link.href = address;
  for (const [name, content] of [
    ['strong', title],
    ['span', kind],
    ['small', about],
  ] as const) {
    const part = document.createElement(name);
    part.textContent = content;
    link.append(part, ' ');
  }
  // A link within this page does not leave it.
  link.addEventListener('click', () => dialog.close());
  item.append(link);
  return item;
}

function open(): void {
  dialog.showModal();
  text.select();
}

/** Moves the focus through the text and the results. */
function moveFocus(step: number): void {
  const stops: readonly HTMLElement[] = [text, ...results.querySelectorAll('a')];
  const at = stops.indexOf(document.activeElement as HTMLElement);
  stops[Math.min(Math.max(at + step, 0), stops.length - 1)]?.focus();
}

opener.hidden = false;
opener.addEventListener('click', open);
element('close-search').addEventListener('click', () => dialog.close());
text.addEventListener('input', () => void search());
dialog.addEventListener('click', (event) => {
  if (event.target === dialog) dialog.close();
});
dialog.addEventListener('keydown', (event) => {
  // A field with text would first be emptied.
  if (event.key === 'Escape') dialog.close();
  if (event.key === 'Enter' && event.target === text) results.querySelector('a')?.click();
  if (event.key !== 'ArrowDown' && event.key !== 'ArrowUp') return;
  event.preventDefault();
  moveFocus(event.key === 'ArrowDown' ? 1 : -1);
});
document.addEventListener('keydown', (event) => {
  const isTyping = event.target instanceof HTMLInputElement;
  const isShortcut = event.key === '/' || (event.key === 'k' && (event.ctrlKey || event.metaKey));
  if (!isShortcut || isTyping || dialog.open) return;
  event.preventDefault();
  open();
});

// Long contents begin at the entry of this page.
const contents = element('contents');
const current = contents.querySelector<HTMLElement>('[aria-current]');
if (current !== null && current.offsetTop > contents.clientHeight)
  contents.scrollTop = current.offsetTop - contents.clientHeight / 2;
