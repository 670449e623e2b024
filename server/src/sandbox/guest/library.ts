import type { GuestFunction } from '../protocol.ts'
import type { BodyCheck } from './compile.ts'

const IDENTIFIER = /^[A-Za-z_$][\w$]*$/

/**
 * One script that leaves the maker of `fx` behind for the bootstrap. It is part of the snapshot of realms; most scripts use no
 * library function, so the functions are only made in a realm whose script asks for them. A function whose text is not by itself a function body is replaced by one that says so:
 * as part of the script it could otherwise reach outside of its braces.
 */
export function composeLibrary(functions: readonly GuestFunction[], isFunctionBody: BodyCheck): string {
  const members = functions.flatMap((fn) => {
    if (!IDENTIFIER.test(fn.name)) return []
    const parameters = fn.arguments.join(', ')
    const prefix = fn.isAsync ? 'async function' : 'function'
    const isValid =
      fn.arguments.every((name) => IDENTIFIER.test(name)) && isFunctionBody(fn.script, parameters, fn.isAsync)
    const body = isValid ? fn.script : `throw new SyntaxError(${JSON.stringify(`fx.${fn.name} has a syntax error.`)})`
    return [`${JSON.stringify(fn.name)}: ${prefix} (${isValid ? parameters : ''}) {\n${body}\n}`]
  })
  return `globalThis.fx = () => ({\n__proto__: null,\n${members.join(',\n')}\n}); undefined`
}
