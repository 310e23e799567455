/** A choice that this browser remembers: `const grouping = kept('grouping', 'project')`, then `grouping.is`. */
export function kept<T>(name: string, otherwise: T): { is: T } {
  const key = `turnkeeper.${name}`;
  let value = $state.raw(read(key, otherwise));
  return {
    get is() {
      return value;
    },
    set is(chosen: T) {
      value = chosen;
      try {
        localStorage.setItem(key, JSON.stringify(chosen));
      } catch {
        // A browser that keeps nothing: the choice holds until the page is left.
      }
    },
  };
}

function read<T>(key: string, otherwise: T): T {
  try {
    const said = localStorage.getItem(key);
    return said === null ? otherwise : (JSON.parse(said) as T);
  } catch {
    return otherwise;
  }
}
