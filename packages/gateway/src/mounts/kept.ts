import { getOrAdd } from '@deskside/core/base';

interface Kept<Value> {
  value?: Value;
  readonly below: WeakMap<object, Kept<Value>>;
}

/**
 * A function that makes one value for the same objects, as long as all of them live. Lists have no other revision than their
 * identity: a list that changes is another array, so what is made of lists, and core's texts of them, is kept by the arrays.
 */
export function kept<Parts extends readonly object[], Value>(make: (...parts: Parts) => Value) {
  const first: Kept<Value> = { below: new WeakMap() };
  return (...parts: Parts): Value => {
    let last = first;
    for (const part of parts) last = getOrAdd(last.below, part, () => ({ below: new WeakMap() }));
    return (last.value ??= make(...parts));
  };
}
