// Tests the parser of envelopes.
import { describe, expect, test } from 'vitest';
import { UpstreamProtocolError } from '../../../src/upstream/errors.ts';
import { parseEnvelope } from '../../../src/upstream/http/action-client.ts';

const SAYS = 'The management API answered with';
const place = { action: 'book#show', status: 200 };

function failure(body: string): UpstreamProtocolError {
  try {
    parseEnvelope(body, place);
  } catch (error) {
    if (error instanceof UpstreamProtocolError) return error;
  }
  throw new Error('the body was accepted');
}

describe('an envelope', () => {
  test('accepts one message or a list of messages for a parameter', () => {
    const errors = { title: ['is missing', 'is short'], pages: 'is no number', lent: 3, shelf: [1], x: null };
    const envelope = parseEnvelope(JSON.stringify({ status: false, message: 7, errors }), place);
    expect(envelope.message).toBeNull();
    expect([...envelope.errors]).toEqual([
      ['title', ['is missing', 'is short']],
      ['pages', ['is no number']],
    ]);
  });

  test.each([[[]], ['no'], [null]])('ignores errors that are not a map: %j', (errors) => {
    expect(parseEnvelope(JSON.stringify({ status: false, errors }), place).errors.size).toBe(0);
  });

  test.each([
    ['', 'The management API gave an empty response.'],
    [' \n', 'The management API gave an empty response.'],
    ['<html>secret</html>', `${SAYS} markup where JSON was expected.`],
    ['secret', `${SAYS} text where JSON was expected.`],
    ['{"status":true,"response":{"book":{"id":1,"na', `${SAYS} text where JSON was expected.`],
    ['{"secret":1}', `${SAYS} an object without a status where an envelope was expected.`],
    ['{"status":"ok"}', `${SAYS} an object without a status where an envelope was expected.`],
    ['[1]', `${SAYS} a list where an envelope was expected.`],
    ['null', `${SAYS} null where an envelope was expected.`],
    ['"secret"', `${SAYS} a string where an envelope was expected.`],
  ])('is refused with a message that quotes nothing of the body: %j', (body, message) => {
    const error = failure(body);
    expect(error).toMatchObject({ ...place, message, code: 'INVALID_RESPONSE' });
    expect(`${error.stack} ${String(error.cause)}`).not.toContain('secret');
  });
});
