/** Replaces members of an object. The others keep the object as their receiver, so that private fields work. */
export function replaceMembers<Target extends object>(target: Target, replaced: Partial<Target>): Target {
  return new Proxy(target, {
    get: (_, name) => {
      if (name in replaced) return Reflect.get(replaced, name);
      const member: unknown = Reflect.get(target, name, target);
      return typeof member === 'function' ? member.bind(target) : member;
    },
  });
}
