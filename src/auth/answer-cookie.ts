/** A cookie that an answer brings to the browser. It can be set until the answer begins. */
export class AnswerCookie {
  #setCookie: string | null = null;
  #hasBegun = false;

  /** Whether a cookie that is set now reaches the browser. */
  get isOpen(): boolean {
    return !this.#hasBegun;
  }

  /** Takes a `Set-Cookie` header in place of the one before. */
  set(setCookie: string): void {
    this.#setCookie = setCookie;
  }

  /** Begins the answer. @returns Its `Set-Cookie` header; null for none. */
  begin(): string | null {
    this.#hasBegun = true;
    return this.#setCookie;
  }
}
