// Holds the cookie that a response sets.

/** The cookie that a response sets in the browser. It can be changed until the response begins. */
export class ResponseCookie {
  #setCookie: string | null = null;
  #hasBegun = false;

  /** Whether the response has not begun, so that a cookie set now reaches the browser. */
  get isOpen(): boolean {
    return !this.#hasBegun;
  }

  /** Sets the `Set-Cookie` header of the response; replaces an earlier one. */
  set(setCookie: string): void {
    this.#setCookie = setCookie;
  }

  /** Begins the response. @returns Its `Set-Cookie` header; null for none. */
  begin(): string | null {
    this.#hasBegun = true;
    return this.#setCookie;
  }
}
