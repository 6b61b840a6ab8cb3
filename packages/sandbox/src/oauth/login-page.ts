// Renders the HTML pages of the authorization endpoint.
import { createHash } from 'node:crypto';
import type { Response } from '../http/response.ts';

const STYLE =
  'body{font:16px/1.5 system-ui,sans-serif;max-width:22rem;margin:4rem auto;padding:0 1rem}' +
  'label,input,button{display:block;width:100%;box-sizing:border-box;font:inherit}' +
  'input{margin:0 0 1rem;padding:.4rem}button{margin-top:.5rem;padding:.5rem}[role=alert]{color:#b00020}';
const STYLE_HASH = createHash('sha256').update(STYLE).digest('base64');

/** The contents of a login page. */
export interface LoginPage {
  readonly step: 'password' | 'code';
  readonly clientName: string;
  /** The requested scope. Empty: none. */
  readonly scope: string;
  /** The id of the transaction, which the form sends back. */
  readonly transaction: string;
  /** The redirect URI of the client, to which the form may lead. */
  readonly redirectUri: string;
  /** The error of the previous attempt. Undefined: there is none. */
  readonly problem?: string | undefined;
}

const FIELDS = {
  password:
    '<label for="user">User</label><input id="user" name="user" autocomplete="username" required autofocus>' +
    '<label for="password">Password</label>' +
    '<input id="password" name="password" type="password" autocomplete="current-password" required>',
  code:
    '<label for="code">Code from your authenticator</label>' +
    '<input id="code" name="code" inputmode="numeric" autocomplete="one-time-code" required autofocus>',
} as const;

/** Creates the page with the form of a login step. */
export function loginPage({
  step,
  clientName,
  scope,
  transaction,
  redirectUri,
  problem,
}: LoginPage): Response {
  const alert = problem === undefined ? '' : `<p role="alert">${escapeHtml(problem)}</p>`;
  const body =
    `<h1>Sign in</h1><p><strong>${escapeHtml(clientName)}</strong> asks for access to your account.` +
    ` Scope: ${scope === '' ? 'none' : `<code>${escapeHtml(scope)}</code>`}</p>${alert}<form method="post">` +
    `<input type="hidden" name="transaction" value="${escapeHtml(transaction)}">${FIELDS[step]}` +
    '<button type="submit">Sign in</button>' +
    '<button type="submit" name="cancel" value="1" formnovalidate>Cancel</button></form>';
  return htmlResponse(
    problem === undefined ? 200 : 403,
    'Sign in',
    body,
    `'self' ${policySource(redirectUri)}`,
  );
}

/** Creates the page for an error that ends a login without a redirect to the client. */
export function errorPage(status: number, problem: string): Response {
  return htmlResponse(
    status,
    'Sign in',
    `<h1>Sign in</h1><p role="alert">${escapeHtml(problem)}</p>`,
    "'none'",
  );
}

function htmlResponse(status: number, title: string, body: string, formAction: string): Response {
  const policy = `default-src 'none'; style-src 'sha256-${STYLE_HASH}'; form-action ${formAction}; base-uri 'none'; frame-ancestors 'none'`;
  return {
    status,
    headers: {
      'content-type': 'text/html;charset=utf-8',
      'cache-control': 'no-store',
      'content-security-policy': policy,
      'referrer-policy': 'same-origin',
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'DENY',
    },
    body:
      `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>${title}</title>` +
      `<meta name="viewport" content="width=device-width"><style>${STYLE}</style></head><body>${body}</body></html>`,
    scope: null,
  };
}

/** Returns the source for `form-action` that allows a redirect URI: browsers apply `form-action` to redirects too. */
function policySource(uri: string): string {
  const { origin, protocol, hostname } = new URL(uri);
  // A policy cannot name the origins of other schemes or IPv6 addresses, so it allows the whole scheme.
  return origin === 'null' || hostname.startsWith('[') ? protocol : origin;
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? '');
}
