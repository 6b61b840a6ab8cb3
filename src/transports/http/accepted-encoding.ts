// Chooses the encoding of a response's body.

/** An encoding that this server sends. */
export type Encoding = 'br' | 'gzip' | 'identity';

/** The smallest encoding that a header `Accept-Encoding` names with a quality above zero. */
export function chooseEncoding(acceptEncoding: string | null): Encoding {
  if (acceptEncoding === null) return 'identity';
  const accepted = acceptEncoding.split(',').flatMap((one) => {
    const [name = '', quality = 'q=1'] = one.split(';').map((part) => part.trim().toLowerCase());
    return Number(quality.replace(/^q=/, '')) > 0 ? [name] : [];
  });
  return (['br', 'gzip'] as const).find((encoding) => accepted.includes(encoding)) ?? 'identity';
}
