// Names credentials in the same way in each replica.
import type { Replicas } from './replicas.ts';

/** What identifies a credential. The value is a secret. */
interface Named {
  readonly header: string;
  readonly value: string;
}

/** The names of credentials. Nobody can guess a credential from its name. */
export class CredentialNames {
  readonly #names = new WeakMap<Named, string>();
  readonly #replicas: Pick<Replicas, 'digest'>;

  constructor(replicas: Pick<Replicas, 'digest'>) {
    this.#replicas = replicas;
  }

  nameOf(credential: Named): string {
    let name = this.#names.get(credential);
    if (name === undefined) {
      name = this.#replicas.digest(`${credential.header} ${credential.value}`);
      this.#names.set(credential, name);
    }
    return name;
  }
}
