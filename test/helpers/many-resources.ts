// Describes APIs with many resources.
import { action, type Raw, refersTo, resource } from './describe-api.ts';
import { list, show } from './described.ts';

/** Describes resources with five actions each. Each refers to the next. */
export function manyResources(count: number): Raw {
  const describe = (index: number): readonly [string, Raw] => {
    const name = `thing${index}`;
    const next = refersTo([`thing${(index + 1) % count}`]);
    const output = { id: 'Integer', name: 'String', next } as const;
    const write = { namespace: name, input: { name: 'String', next }, output } as const;
    return [
      name,
      resource({
        index: list(name, `${name}s`, output, { input: { next } }),
        show: show(name, `${name}s`, output),
        create: action({ path: `/${name}s`, method: 'POST', ...write }),
        update: action({ path: `/${name}s/{${name}_id}`, method: 'PUT', ...write }),
        delete: action({ path: `/${name}s/{${name}_id}`, method: 'DELETE', namespace: name }),
      }),
    ];
  };
  return Object.fromEntries(Array.from({ length: count }, (_, index) => describe(index)));
}
