// Reads which media types a client accepts for results.
import { LRUCache } from 'lru-cache';

/** What an `Accept` header allows. */
export interface AcceptedTypes {
  /** The type of a single result: the first of JSON that the header names, as yoga chooses. Null for none, and where yoga has to choose. */
  readonly json: string | null;
  /** Whether a subscription can be answered by server-sent events. */
  readonly events: boolean;
  /** Whether the header names a type for results in parts. */
  readonly parts: boolean;
}

/** Decisions by header. Each client sends few different ones. */
const decisions = new LRUCache<string, AcceptedTypes>({ max: 100, memoMethod: (accept) => decide(accept) });

/** Reads an `Accept` header; null is as good as any type. */
export const readAccept = (accept: string | null): AcceptedTypes => decisions.memo(accept || '*/*');

function decide(accept: string): AcceptedTypes {
  const types = accept
    .replace(/\s/g, '')
    .toLowerCase()
    .split(',')
    .flatMap((item) => {
      const [type = '', ...parameters] = item.split(';');
      const charset = parameters.find((parameter) => parameter.includes('charset='));
      return charset === undefined || charset === 'charset=utf-8' ? [type] : [];
    });
  return {
    json: jsonTypeOf(types),
    events: types.some((type) => /^(text\/event-stream|text\/\*|\*\/(\*|event-stream))$/.test(type)),
    parts: /multipart\/mixed|text\/event-stream/i.test(accept),
  };
}

function jsonTypeOf(types: readonly string[]): string | null {
  for (const type of types) {
    if (type === 'application/graphql-response+json') return type;
    if (type === '*/*' || type === 'application/*' || type === 'application/json') return 'application/json';
    if (type.includes('*')) return null;
  }
  return null;
}
