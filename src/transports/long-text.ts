// Prepares texts for node, which encodes them when it sends them.

/** Characters from which a text is long. */
const LONG = 65_536;

/**
 * A long text as bytes, and a short one as it is: node writes it together with the head of a response. Of long texts that a client has left
 * unread, node would encode many in one go when it reads again.
 */
export const encodeLong = (text: string): string | Buffer => (text.length < LONG ? text : Buffer.from(text));
