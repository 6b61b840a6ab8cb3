// Reads the parameters of requests to the snippet service.

/** The parameters of a command, as text. Empty parameters are missing. */
export type Parameters = ReadonlyMap<string, string>;

/** The error for a request whose parameters cannot be read. */
export class UnreadableRequest extends Error {
  override readonly name = 'UnreadableRequest';
  readonly status: 400 | 415;
  constructor(status: 400 | 415, message: string) {
    super(message);
    this.status = status;
  }
}

const FORM_TYPES: ReadonlySet<string> = new Set(['application/x-www-form-urlencoded', 'multipart/form-data']);

/**
 * Reads the parameters of a request from its query string and its body, which is a form or a JSON object. The body takes
 * precedence. The value of a file is its text.
 * @throws UnreadableRequest when the body is malformed or of another type.
 */
export async function readParameters(
  query: string,
  body: string,
  contentType: string | undefined,
): Promise<Parameters> {
  const parameters = new Map<string, string>();
  const add = (name: string, value: string): void => {
    if (value !== '') parameters.set(name, value);
  };
  for (const [name, value] of new URLSearchParams(query)) add(name, value);
  if (body !== '') for (const [name, value] of await readBody(body, contentType)) add(name, value);
  return parameters;
}

async function readBody(
  body: string,
  contentType = 'application/octet-stream',
): Promise<readonly (readonly [string, string])[]> {
  const [type = ''] = contentType.split(';');
  const mediaType = type.trim().toLowerCase();
  if (mediaType === 'application/json') return readJson(body);
  if (!FORM_TYPES.has(mediaType))
    throw new UnreadableRequest(415, 'The body must be a form or a JSON object.');
  try {
    const form = await new Response(body, { headers: { 'content-type': contentType } }).formData();
    return await Promise.all(
      [...form].map(
        async ([name, value]) => [name, typeof value === 'string' ? value : await value.text()] as const,
      ),
    );
  } catch {
    throw new UnreadableRequest(400, 'The form cannot be read.');
  }
}

function readJson(body: string): readonly (readonly [string, string])[] {
  const raw = parseJson(body);
  if (typeof raw !== 'object' || raw === null || Array.isArray(raw))
    throw new UnreadableRequest(400, 'The JSON body must be an object.');
  return Object.entries(raw).map(([name, value]) => {
    if (value === null) return [name, ''];
    if (typeof value === 'string' || typeof value === 'number') return [name, String(value)];
    throw new UnreadableRequest(400, `"${name}" must be a text or a number.`);
  });
}

function parseJson(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    throw new UnreadableRequest(400, 'The JSON body cannot be read.');
  }
}
