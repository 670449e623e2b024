import type { Builtins, Host } from './take-builtins.ts'

export type CallTexts = {
  /** The name of a call and what it was given, as the host reads them. Throws where that is too much. */
  callText(name: string, values: unknown[]): string
  /** The error that a script sees, from the text that the host answered. */
  errorFrom(text: string): Error
}

/** Calls and refusals as the texts that cross the wall of the realm. Its text is compiled inside the isolate. */
export function makeCallTexts({ assign, parse, stringify, jsonOf, ErrorOfRealm }: Builtins, host: Host): CallTexts {
  const callText = (name: string, values: unknown[]): string => {
    let text = ''
    for (let i = 0; i < values.length; i++) text += (i === 0 ? '' : ',') + jsonOf(values[i])
    if (text.length > host.callBytesMax)
      throw new ErrorOfRealm(`${name} was given more than ${host.callBytesMax} bytes.`)
    return `"name":${stringify(name)},"args":[${text}]`
  }
  const errorFrom = (text: string): Error => {
    const { message, details } = parse(text) as { message: string; details: object }
    return assign(new ErrorOfRealm(message), details)
  }
  return { callText, errorFrom }
}
